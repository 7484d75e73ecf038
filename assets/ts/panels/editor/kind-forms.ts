import { make } from "../../lib/dom";
import { entryOf } from "../../lib/record";
import { word } from "../../lib/words";
import { AGGREGATES, GROUP_BANDS, GROUP_LINES, type PanelKind, type PanelSpec } from "../spec";
import { ChartEditor } from "../vega/editor";
import { choice, type Field, longText, ownChoice, ownSwitch, segments, showWhole, text } from "./fields";
import { as, type Context, type Part, type SpecField, together } from "./form";
import { groupField } from "./group-field";
import { lineParts } from "./line-form";
import { several } from "./picker";

/** The tabs with the fields of a panel of this kind. */
export function partsOf(spec: PanelSpec, context: Context): Part[] {
  const parts = (entryOf(FORMS, spec.kind) ?? (() => []))(spec, context);
  return parts.length ? parts : [{ name: "data", fields: [] }];
}

type Form = (spec: PanelSpec, context: Context) => Part[];

const FORMS: Partial<Record<PanelKind, Form>> = {
  line: lineParts,
  scatter: (spec, context) => [
    { name: "data", fields: [scatterColumns(spec, context)] },
    { name: "axes", fields: logFields(spec, context) },
  ],
  bar: (spec, context) => [
    { name: "data", fields: [columnField(spec, context.numeric, word("column"))] },
    { name: "grouping", fields: groupFields(spec, context) },
  ],
  histogram: (spec, { stage }) => data(keyField(spec, stage.keysFor("histogram"))),
  table: (spec, { stage }) => data(keyField(spec, stage.keysFor("table"))),
  media: (spec, { stage }) => data(keyField(spec, stage.keysFor("media"))),
  parallel: (spec, { columns }) => data(as("columns", several(word("columns"), columns, spec.columns ?? []))),
  importance: (spec, { metrics }) => data(columnField(spec, metrics, word("metric"), metrics[0])),
  scalar: (spec, context) =>
    data(
      columnField(spec, context.metrics, word("metric")),
      as(
        "aggregate",
        choice(word("aggregate"), named("aggregate", AGGREGATES), spec.aggregate ?? "last") as never,
      ),
      baselineField(spec, context),
    ),
  markdown: ({ content = "" }) =>
    data(as("content", longText(word("markdownText"), content, "panel-text-source"))),
  code: (spec) => data(codeField(spec)),
  custom: (spec, { stage, history }) => data(chartField(spec, new ChartEditor(spec, stage, history))),
};

const LANGUAGES = [
  ["python", "Python"],
  ["json", "JSON"],
  ["yaml", "YAML"],
  ["toml", "TOML"],
  ["shell", "Shell"],
  ["script", "C, Go, Java, JavaScript, Rust"],
  ["diff", "Diff"],
] as const;

/** A file of the runs' own code, or a text. */
function codeField({ content, language = "python", file = "" }: PanelSpec): SpecField {
  const name = text(word("codeFile"), file, word("codeProgram"));
  const kind = choice(word("language"), LANGUAGES, language);
  const written = longText(word("codeText"), content ?? "", "panel-text-source mono");
  const way = segments(
    word("codeFrom"),
    ["file", "text"].map((one) => [one, word(`codeFrom_${one}`)] as const),
    content === undefined ? "file" : "text",
  );
  const element = make("div", "panel-lines-field is-wide");
  element.append(way.element, name.element, kind.element, written.element);
  const show = () => {
    showWhole(name.element, way.read() === "file");
    for (const { element } of [kind, written]) showWhole(element, way.read() === "text");
  };
  way.element.addEventListener("change", show);
  show();
  return {
    element,
    read: () =>
      way.read() === "file"
        ? { file: name.read() || undefined, content: undefined, language: undefined }
        : { file: undefined, content: written.read(), language: kind.read() },
  };
}

function data(...fields: SpecField[]): Part[] {
  return [{ name: "data", fields }];
}

function named(prefix: string, values: readonly string[]): (readonly [string, string])[] {
  return values.map((value) => [value, word(`${prefix}_${value}`)] as const);
}

function oneOf(label: string, names: readonly string[], value: string, none = "–"): Field<string> {
  return choice(label, [["", none], ...names.map((name) => [name, name] as const)], value);
}

function keyField({ keys: [key = ""] }: PanelSpec, names: readonly string[]): SpecField {
  const field = oneOf(word("key"), names, key);
  return { element: field.element, read: () => ({ keys: [field.read()].filter(Boolean) }) };
}

function columnField({ columns }: PanelSpec, names: readonly string[], label: string, start = ""): SpecField {
  const field = oneOf(label, names, columns?.[0] ?? start);
  return { element: field.element, read: () => ({ columns: [field.read()].filter(Boolean) }) };
}

function scatterColumns(spec: PanelSpec, { columns, numeric }: Context): SpecField {
  const [x = "", y = "", shade = ""] = spec.columns ?? [];
  const fields = [
    oneOf(word("axisX"), columns, x),
    oneOf(word("axisY"), columns, y),
    oneOf(word("colorBy"), numeric, shade, word("byRun")),
  ];
  return together(
    fields.map(({ element }) => element),
    () => ({ columns: fields.map((field) => field.read()) }),
  );
}

/** Switches to logarithmic axes. */
export function logFields(spec: PanelSpec, { common }: Context): SpecField[] {
  return [
    as("logX", ownSwitch(word("logX"), spec.logX, common.logX)),
    as("logY", ownSwitch(word("logY"), spec.logY, common.logY)),
  ];
}

/** How runs become groups, and what is drawn of each. */
export function groupFields(spec: PanelSpec, { columns, common }: Context): SpecField[] {
  const lines = named("groupLine", GROUP_LINES);
  const bands = named("groupBand", GROUP_BANDS);
  return [
    as("groupBy", groupField(columns, spec.groupBy, common.groupBy)),
    as("groupLine", ownChoice(word("groupLine"), lines, spec.groupLine, common.groupLine) as never),
    as("groupBand", ownChoice(word("groupBand"), bands, spec.groupBand, common.groupBand) as never),
  ];
}

function baselineField(spec: PanelSpec, { stage }: Context): SpecField {
  const runs = stage.runs.drawn().map(({ uid, name }) => [uid, name] as const);
  return as(
    "baseline",
    choice(word("baseline"), [["", word("workspaceBaseline")], ...runs], spec.baseline ?? ""),
  );
}

/** A custom chart has an editor, and a preview, of its own. */
function chartField(spec: PanelSpec, editor: ChartEditor): SpecField {
  return {
    element: editor.element,
    read: () => ({ chart: editor.read(), keys: spec.keys }),
    destroy: () => editor.destroy(),
  };
}

/** The name of a panel, and the section that it is in. */
export function commonFields(
  spec: PanelSpec,
  sections: readonly (readonly [name: string, title: string])[],
  title: string,
): SpecField[] {
  const name = text(word("title"), spec.title, title);
  name.element.querySelector("input")?.setAttribute("data-title", "");
  return [as("title", name), as("section", choice(word("section"), sections, spec.section))];
}
