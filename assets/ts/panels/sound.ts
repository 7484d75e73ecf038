type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const SMOOTHINGS = ["none", "ema", "time", "gaussian", "average"];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function recordOf(check: Check): Check {
  return (value) => isRecord(value) && Object.values(value).every(check);
}

/** What the page itself reads of a state, of how lines are drawn and of a panel; the rest only its own panel can break. */
const STATE: Record<string, Check> = {
  view: isRecord,
  columns: isNumber,
  sections: isTexts,
  added: isTexts,
  removed: isTexts,
  titles: recordOf(isText),
  settings: recordOf(isRecord),
  open: isRecord,
  order: recordOf(isTexts),
  panels: isRecord,
};
const VIEW: Record<string, Check> = {
  x: isText,
  smoothing: (value) =>
    isRecord(value) && isNumber(value.amount) && SMOOTHINGS.includes(value.kind as string),
  groupBy: (value) => isText(value) || isTexts(value),
};
const PANEL: Record<string, Check> = {
  ...{ kind: isText, source: isText, section: isText, title: isText, group: isText, text: isText },
  ...{
    keys: isTexts,
    keysPattern: isText,
    rank: isNumber,
    order: isNumber,
    span: isNumber,
    height: isNumber,
  },
};

function sound<T extends object>(given: T, checks: Record<string, Check>): T {
  const entries = Object.entries(given).filter(
    ([name, value]) => !Object.hasOwn(checks, name) || checks[name]?.(value),
  );
  return Object.fromEntries(entries) as T;
}

/** A saved state, which any program may have written, without the parts that a page cannot read. */
export function soundState<T extends { view?: object; panels?: object }>(given: T): T {
  const state = sound(isRecord(given) ? (given as T) : ({} as T), STATE);
  const { view, panels } = state;
  if (view) state.view = sound(view, VIEW);
  if (panels) {
    const entries = Object.entries(panels).filter(([, spec]) => isRecord(spec));
    state.panels = Object.fromEntries(entries.map(([id, spec]) => [id, sound(spec, PANEL)]));
  }
  return state;
}
