import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSpec } from "./fixtures";
import { CLOSED_RANK, Layout, type Section } from "./layout";
import type { PanelSpec, PanelsState } from "./spec";

const panel = (id: string, section = "Charts", given: Partial<PanelSpec> = {}) =>
  makeSpec({ id, section, title: id, keys: [id], ...given });
const laid = (state: PanelsState = {}) => {
  const saved: PanelsState[] = [];
  return { layout: new Layout(state, (kept) => saved.push(kept)), saved };
};
const shown = (sections: readonly Section[]) =>
  sections.map(({ name, panels }) => `${name}: ${panels.map(({ id }) => id).join(" ")}`.trim());
const three = [panel("a"), panel("b", "val", { rank: 1 }), panel("c", "train", { rank: 2 })];

test("sections are sorted by rank, panels by order and then naturally by title", () => {
  const { layout } = laid();
  const generated = [
    panel("layer10"),
    panel("layer9"),
    panel("first", "Charts", { order: -1 }),
    panel("x", "late", { rank: 5 }),
    panel("y", "early", { rank: 1 }),
    panel("z", "also early", { rank: 1 }),
  ];
  assert.deepEqual(shown(layout.arrange(generated)), [
    "Charts: first layer9 layer10",
    "also early: z",
    "early: y",
    "late: x",
  ]);
});

test("a custom order comes first, and the rest follows", () => {
  const { layout } = laid({ sections: ["train", "Charts"], order: { Charts: ["b", "a"] } });
  const generated = [panel("a"), panel("b"), panel("c"), panel("d", "train"), panel("e", "new")];
  assert.deepEqual(shown(layout.arrange(generated)), ["train: d", "Charts: b a c", "new: e"]);
});

test("changed, moved, removed and added panels are arranged as the user left them", () => {
  const { layout } = laid({
    panels: {
      a: { title: "Loss" },
      b: { section: "Mine" },
      "added-1": panel("added-1", "Mine"),
      gone: { title: "of a key that is no longer logged" },
    },
    removed: ["c"],
  });
  const sections = layout.arrange([panel("a"), panel("b"), panel("c")]);
  assert.deepEqual(shown(sections), ["Charts: a", "Mine: added-1 b"]);
  assert.equal(sections[0]?.panels[0]?.title, "Loss");
});

test("a moved panel loses its group heading", () => {
  const { layout } = laid({ panels: { a: { section: "Mine" } } });
  const [section] = layout.arrange([panel("a", "System", { group: "GPU" })]);
  assert.equal(section?.panels[0]?.group, "");
});

test("a manual workspace shows only added panels", () => {
  const { layout } = laid({ mode: "manual", panels: { "added-1": panel("added-1") } });
  assert.ok(layout.isManual);
  assert.deepEqual(shown(layout.arrange(three)), ["Charts: added-1"]);
});

test("an added section is shown while empty, before sections that start closed", () => {
  const { layout } = laid({ added: ["Mine"], titles: { Mine: "Ours" } });
  const sections = layout.arrange([panel("a", "System", { rank: CLOSED_RANK }), panel("b")]);
  assert.deepEqual(
    sections.map(({ name, title }) => [name, title]),
    [
      ["Charts", "Charts"],
      ["Mine", "Ours"],
      ["System", "System"],
    ],
  );
});

test("panel settings override section settings, which override the workspace", () => {
  const { layout } = laid({
    view: { logY: true, band: false },
    settings: { Charts: { logX: true, band: true } },
  });
  const view = layout.viewOf(panel("a", "Charts", { logX: false }));
  assert.deepEqual([view.logY, view.band, view.logX, view.original], [true, true, false, true]);
  assert.equal(layout.viewOf(panel("b", "Other")).band, false);
});

test("page defaults override general defaults, and user choices override both", () => {
  const layout = new Layout(
    { view: { x: "epoch" } },
    () => undefined,
    () => ({ x: "_runtime", band: false }),
  );
  assert.deepEqual([layout.view.x, layout.view.band], ["epoch", false]);
});

test("section settings apply to panels unless a panel overrides them", () => {
  const { layout } = laid({ settings: { Charts: { yMin: 0, height: 400 } }, panels: { b: { height: 200 } } });
  const [{ panels = [] } = {}] = layout.arrange([panel("a"), panel("b")]);
  assert.deepEqual(
    panels.map(({ yMin, height }) => [yMin, height]),
    [
      [0, 400],
      [0, 200],
    ],
  );
  assert.deepEqual(
    panels.map((spec) => [layout.ownOf(spec).yMin, layout.ownOf(spec).height]),
    [
      [undefined, undefined],
      [undefined, 200],
    ],
  );
});

test("removing a panel can be undone after later changes", () => {
  const { layout } = laid({ panels: { "added-1": panel("added-1") } });
  const backs = [layout.remove("a"), layout.remove("added-1")];
  layout.change("b", { title: "B" });
  assert.deepEqual(layout.state.removed, ["a"]);
  assert.deepEqual(Object.keys(layout.state.panels ?? {}), ["b"]);
  for (const back of backs) back();
  assert.deepEqual(layout.state.removed, []);
  assert.deepEqual(Object.keys(layout.state.panels ?? {}).sort(), ["added-1", "b"]);
});

test("putting a panel back ends its removal", () => {
  const { layout } = laid({ removed: ["a", "b"] });
  layout.put(panel("a"));
  assert.deepEqual(layout.state.removed, ["b"]);
});

test("each change is saved", () => {
  const { layout, saved } = laid();
  layout.setColumns(3);
  layout.setView({ logX: true });
  layout.setView({ logY: true });
  layout.setOpen("Charts", false);
  assert.equal(saved.length, 4);
  assert.deepEqual(saved.at(-1), { columns: 3, view: { logX: true, logY: true }, open: { Charts: false } });
});

test("a panel is moved before another one or to the end, and takes the rank of a new section", () => {
  const { layout } = laid();
  const [charts, val] = layout.arrange([panel("a"), panel("b"), panel("c"), panel("d", "val", { rank: 1 })]);
  if (!charts || !val) throw new Error("no sections");
  layout.move(panel("c"), charts, "a");
  assert.deepEqual(layout.state.order?.Charts, ["c", "a", "b"]);
  layout.move(panel("a"), charts, null);
  assert.deepEqual(layout.state.order?.Charts, ["b", "c", "a"]);
  layout.move(panel("a"), val, "d");
  assert.deepEqual(layout.state.order?.val, ["a", "d"]);
  assert.deepEqual(layout.state.panels?.a, { section: "val", rank: 1, group: "" });
});

test("sections start open up to a total number of panels, and the first always does", () => {
  const { layout } = laid({ open: { third: true, first: false } });
  const section = (name: string, count: number, rank = 0): Section => ({
    ...{ name, title: name, rank },
    panels: Array.from({ length: count }, (_, at) => panel(`${name}${at}`, name)),
  });
  const sections = [section("zero", 40), section("second", 8), section("third", 1), section("fourth", 1)];
  assert.deepEqual([...layout.openSections(sections)], ["zero", "second", "third"]);
  assert.deepEqual([...layout.openSections([section("first", 1), section("System", 1, CLOSED_RANK)])], []);
  assert.deepEqual([...layout.openSections([section("zero", 500)])], ["zero"]);
  assert.deepEqual([...layout.openSections([section("System", 1, CLOSED_RANK)])], ["System"]);
});

for (const name of ["constructor", "__proto__", "toString"]) {
  test(`a metric, and a section, named ${name} are arranged like others, also when they are saved and read back`, () => {
    const generated = [panel(name, name), panel("loss", name)];
    const { layout, saved } = laid({ panels: {}, titles: {}, settings: {}, open: {}, order: {} });
    const [section] = layout.arrange(generated) as [Section];
    assert.equal(section.title, name);
    assert.deepEqual(section.panels.map(({ keys }) => keys).sort(), [["loss"], [name]].sort());
    assert.deepEqual(layout.settingsOf(name), {});
    assert.ok(layout.openSections([section]).has(name));
    layout.change(name, { title: "Mine" });
    layout.setOpen(name, false);
    layout.move(panel("loss", name), section, name);
    layout.keep({ titles: { [name]: "Ours" }, settings: { [name]: { height: 200 } } });
    const read = JSON.parse(JSON.stringify(saved.at(-1))) as PanelsState;
    const again = laid(read).layout;
    const [kept] = again.arrange(generated) as [Section];
    assert.deepEqual([kept.title, kept.panels.map(({ title }) => title)], ["Ours", ["loss", "Mine"]]);
    assert.deepEqual([again.settingsOf(name), again.openSections([kept]).size], [{ height: 200 }, 0]);
    assert.ok(Object.hasOwn(read.panels ?? {}, name));
  });
}

test("an added panel of which a program left something out has a place, and the id that it is kept under", () => {
  const { layout } = laid({ panels: { "added-1": { id: "other", section: "Mine" } } });
  const [section] = layout.arrange([]);
  assert.deepEqual(section?.panels[0], { ...panel("added-1", "Mine", { keys: [], title: "" }) });
});
