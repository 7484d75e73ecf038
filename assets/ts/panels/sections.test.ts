import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSpec } from "./fixtures";
import { Layout, type Section } from "./layout";
import {
  addSection,
  deleteSection,
  moveSection,
  openAll,
  renameSection,
  setSection,
  shiftSection,
  sortSection,
  visitorsOf,
} from "./sections";
import type { PanelSpec, PanelsState } from "./spec";

const panel = (id: string, section = "Charts", given: Partial<PanelSpec> = {}) =>
  makeSpec({ id, section, title: id, keys: [id], ...given });
const laid = (state: PanelsState = {}) => ({ layout: new Layout(state, () => undefined) });
const shown = (sections: readonly Section[]) =>
  sections.map(({ name, panels }) => `${name}: ${panels.map(({ id }) => id).join(" ")}`.trim());
const three = [panel("a"), panel("b", "val", { rank: 1 }), panel("c", "train", { rank: 2 })];

test("a section is moved before another one, or by places within the ends", () => {
  const { layout } = laid();
  const sections = layout.arrange(three);
  moveSection(layout, sections, "train", "Charts");
  assert.deepEqual(layout.state.sections, ["train", "Charts", "val"]);
  moveSection(layout, sections, "Charts", null);
  assert.deepEqual(layout.state.sections, ["val", "train", "Charts"]);
  assert.ok(shiftSection(layout, sections, "val", 1));
  assert.deepEqual(layout.state.sections, ["Charts", "train", "val"]);
  assert.ok(!shiftSection(layout, sections, "Charts", -1));
  assert.ok(!shiftSection(layout, sections, "train", 1));
});

test("an added section is open and gets an unused name", () => {
  const { layout } = laid({ added: ["Charts 2"] });
  const sections = layout.arrange(three);
  assert.equal(addSection(layout, sections, "Charts", "val"), "Charts 3");
  assert.equal(addSection(layout, sections, "Mine", null), "Mine");
  assert.deepEqual(layout.state.added, ["Charts 2", "Charts 3", "Mine"]);
  assert.equal(layout.state.open?.["Charts 3"], true);
});

test("a section's original name and empty settings undo its changes", () => {
  const { layout } = laid();
  renameSection(layout, "val", "Checks");
  setSection(layout, "val", { logY: true });
  assert.deepEqual([layout.state.titles, layout.settingsOf("val")], [{ val: "Checks" }, { logY: true }]);
  for (const title of ["val", ""]) {
    renameSection(layout, "val", title);
    assert.deepEqual(layout.state.titles, {});
  }
  setSection(layout, "val", {});
  assert.deepEqual(layout.state.settings, {});
});

test("panels are sorted by title, and all sections opened at once", () => {
  const { layout } = laid({ order: { Charts: ["b2", "b10", "a"] } });
  const [charts] = layout.arrange([panel("a"), panel("b10"), panel("b2")]);
  if (!charts) throw new Error("no section");
  sortSection(layout, charts);
  assert.deepEqual(layout.state.order?.Charts, ["a", "b2", "b10"]);
  openAll(layout, layout.arrange(three), true);
  assert.deepEqual(layout.state.open, { Charts: true, val: true, train: true });
});

test("deleting a section returns moved panels to their sections and removes the others", () => {
  const { layout } = laid({
    panels: {
      a: { section: "Mine", rank: 7, title: "A" },
      "added-1": panel("added-1", "Mine"),
      "added-2": panel("added-2", "val"),
      own: { title: "Own" },
    },
    added: ["Mine", "Other"],
    sections: ["Mine", "Charts"],
  });
  const generated = [panel("a"), panel("own", "Mine")];
  const mine = layout.arrange(generated).find(({ name }) => name === "Mine");
  if (!mine) throw new Error("no section");
  const visitors = visitorsOf(mine, generated);
  assert.deepEqual(
    visitors.map(({ id }) => id),
    ["a"],
  );
  deleteSection(layout, mine, visitors);
  assert.deepEqual(shown(layout.arrange(generated)), ["Charts: a", "val: added-2", "Other:"]);
  assert.deepEqual(layout.state.panels?.a, { title: "A" });
  assert.deepEqual(layout.state.removed, ["own"]);
});

test("a section named __proto__ is renamed, set up and deleted like others", () => {
  const { layout } = laid({ titles: {}, settings: {} });
  const generated = [panel("a", "__proto__")];
  const [section] = layout.arrange(generated) as [Section];
  renameSection(layout, section.name, "Mine");
  setSection(layout, section.name, { height: 300 });
  assert.equal(layout.arrange(generated)[0]?.title, "Mine");
  assert.deepEqual(layout.settingsOf("__proto__"), { height: 300 });
  deleteSection(layout, section, []);
  assert.deepEqual(layout.arrange(generated), []);
});
