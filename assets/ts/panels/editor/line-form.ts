import { make } from "../../lib/dom";
import { isPattern, Patterns } from "../../lib/patterns";
import { word } from "../../lib/words";
import { DEVICES } from "../devices";
import { OWN_AXIS, type PanelSpec } from "../spec";
import { expressionProblem, patternRemark, type Remark } from "./checks";
import { amount, type Field, labelled, ownChoice, ownSwitch, segments, showWhole, text } from "./fields";
import { as, type Context, type Part, type SpecField, together } from "./form";
import { groupFields, logFields } from "./kind-forms";
import { LineLooks } from "./line-looks";
import { several } from "./picker";

/** The fields of a panel of lines. */
export function lineParts(spec: PanelSpec, context: Context): Part[] {
  const keys = spec.source === "system" ? context.system : context.history;
  return [
    { name: "data", fields: [linesField(spec, keys)] },
    { name: "axes", fields: axesFields(spec, context, keys) },
    { name: "lines", fields: lineFields(spec, context) },
    ...(context.stage.isRunPage ? [] : [{ name: "grouping", fields: groupFields(spec, context) }]),
  ];
}

/** What is drawn: keys one by one, those that match a pattern, or a formula over some. */
function linesField(spec: PanelSpec, keys: readonly string[]): SpecField {
  const picked = several(word("keys"), keys, spec.yExpression || spec.keysPattern ? [] : spec.keys);
  const pattern = patternField(spec.keysPattern ?? "", keys);
  const formula = expressionField(word("expression"), spec.yExpression ?? "", keys);
  const ways: [string, Field<unknown>][] = [
    ["keys", picked],
    ["pattern", pattern],
    ["expression", formula],
  ];
  const start = spec.yExpression ? "expression" : spec.keysPattern ? "pattern" : "keys";
  const way = segments(
    word("linesFrom"),
    ways.map(([name]) => [name, word(`from_${name}`)] as const),
    start,
  );
  const element = make("div", "panel-lines-field is-wide");
  element.append(way.element, ...ways.map(([, field]) => field.element));
  const show = () => {
    for (const [name, field] of ways) showWhole(field.element, name === way.read());
  };
  way.element.addEventListener("change", show);
  show();
  return {
    element,
    read: () => {
      const chosen = way.read();
      return {
        keys: chosen === "keys" ? picked.read() : [],
        keysPattern: (chosen === "pattern" && pattern.read()) || undefined,
        yExpression: (chosen === "expression" && formula.read()) || undefined,
      };
    },
  };
}

/** A regular expression, and which keys match it now. */
function patternField(value: string, keys: readonly string[]): Field<string> {
  const [input, element, remark] = checkedInput(word("keysPattern"), value, "^val/");
  const patterns = new Patterns(() => show());
  input.addEventListener("input", () => patterns.clear());
  const show = watch(input, remark, () => patternRemark(input.value, keys, patterns));
  return { element, read: () => (isPattern(input.value.trim()) ? input.value.trim() : "") };
}

/** A formula; what is wrong with it is said below. */
function expressionField(label: string, value: string, keys: readonly string[]): Field<string> {
  const [input, element, remark] = checkedInput(label, value, `\${${keys[0] ?? "loss"}} / 2`);
  const check = () => {
    const problem = expressionProblem(input.value, keys);
    return problem ? { problem } : { text: word("expressionHelp") };
  };
  const insert = make("select", "form-select form-select-sm panel-insert");
  insert.setAttribute("aria-label", word("insertKey"));
  insert.append(new Option(word("insertKey"), ""), ...keys.map((key) => new Option(key, key)));
  insert.addEventListener("change", (event) => {
    event.stopPropagation();
    const { selectionStart, selectionEnd } = input;
    input.setRangeText(`\${${insert.value}}`, selectionStart ?? 0, selectionEnd ?? 0, "end");
    insert.value = "";
    input.focus();
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const row = make("div", "panel-insert-row");
  input.replaceWith(row);
  row.append(input, insert);
  watch(input, remark, check);
  return { element, read: () => (expressionProblem(input.value, keys) ? "" : input.value.trim()) };
}

function checkedInput(
  label: string,
  value: string,
  placeholder: string,
): [HTMLInputElement, HTMLElement, HTMLElement] {
  const input = make("input", "form-control form-control-sm mono");
  input.value = value;
  input.placeholder = placeholder;
  input.spellcheck = false;
  input.autocomplete = "off";
  const element = labelled(label, input);
  element.classList.add("is-wide");
  const remark = make("p", "panel-remark");
  remark.id = `${input.id}-remark`;
  remark.setAttribute("role", "status");
  input.setAttribute("aria-describedby", remark.id);
  element.append(remark);
  return [input, element, remark];
}

/** Say below an input what is wrong with it, or what it means; call the result when that has changed by itself. */
function watch(input: HTMLInputElement, remark: HTMLElement, check: () => Remark): () => void {
  const show = () => {
    const { problem = "", text: help = "" } = check();
    input.setCustomValidity(problem);
    input.setAttribute("aria-invalid", String(problem !== ""));
    remark.textContent = problem || help;
    remark.classList.toggle("is-error", problem !== "");
  };
  input.addEventListener("input", show);
  show();
  return show;
}

function axesFields(spec: PanelSpec, context: Context, keys: readonly string[]): SpecField[] {
  const isHistory = spec.source === "history";
  const axes = [
    ...(isHistory
      ? ([
          [OWN_AXIS, word("ownAxis")],
          ["_step", word("step")],
        ] as const)
      : []),
    ["_runtime", word("relativeTime")],
    ["_timestamp", word("wallTime")],
    ...(isHistory ? keys.map((name) => [name, name] as const) : []),
  ] as const;
  return [
    as("x", ownChoice(word("axisX"), axes, spec.x, context.common.x)),
    ...(isHistory
      ? [as("xExpression", expressionField(word("xExpression"), spec.xExpression ?? "", keys))]
      : []),
    as("xTitle", text(word("xTitle"), spec.xTitle ?? "", word("automatic"))),
    as("yTitle", text(word("yTitle"), spec.yTitle ?? "", word("none"))),
    as("xMin", amount(word("xMin"), spec.xMin)),
    as("xMax", amount(word("xMax"), spec.xMax)),
    as("yMin", amount(word("yMin"), spec.yMin)),
    as("yMax", amount(word("yMax"), spec.yMax)),
    ...logFields(spec, context),
  ];
}

function lineFields(spec: PanelSpec, context: Context): SpecField[] {
  const { common } = context;
  return [
    smoothingField(spec, context),
    as("original", ownSwitch(word("original"), spec.original, common.original)),
    as("band", ownSwitch(word("band"), spec.band, common.band)),
    as("withoutOutliers", ownSwitch(word("withoutOutliers"), spec.withoutOutliers, common.withoutOutliers)),
    ...(spec.source === "system" ? systemFields(spec, context) : []),
    new LineLooks(spec.lineStyles ?? {}),
  ];
}

function smoothingField({ smoothing }: PanelSpec, { common }: Context): SpecField {
  const kinds = ["none", "ema", "time", "gaussian", "average"] as const;
  const names = kinds.map((name) => [name, word(`smoothing_${name}`)] as const);
  const kind = ownChoice(word("smoothing"), names, smoothing?.kind, common.smoothing.kind);
  const much = amount(word("smoothingAmount"), smoothing?.amount, String(common.smoothing.amount));
  return together([kind.element, much.element], () => {
    const [chosen, typed] = [kind.read() as (typeof kinds)[number] | undefined, much.read()];
    if (chosen === undefined && typed === null) return { smoothing: undefined };
    return { smoothing: { kind: chosen ?? common.smoothing.kind, amount: typed ?? common.smoothing.amount } };
  });
}

function systemFields(spec: PanelSpec, { common }: Context): SpecField[] {
  const names = DEVICES.map((name) => [name, word(`devices_${name}`)] as const);
  return [
    as("devices", ownChoice(word("devices"), names, spec.devices, common.devices) as never),
    as("totals", ownSwitch(word("asTotal"), spec.totals, common.totals)),
  ];
}
