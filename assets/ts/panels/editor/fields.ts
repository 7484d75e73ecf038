import { make } from "../../lib/dom";
import { word } from "../../lib/words";

/** A field of a form: its element, and what it holds now. */
export interface Field<T> {
  element: HTMLElement;
  read(): T;
}

export type Option = readonly [value: string, text: string];
let made = 0;

export function labelled(label: string, input: HTMLElement): HTMLElement {
  made += 1;
  input.id = `panel-field-${made}`;
  const box = make("div", "panel-field");
  const name = make("label", "", label);
  name.htmlFor = input.id;
  box.append(name, input);
  return box;
}

export function choice(label: string, options: readonly Option[], value: string): Field<string> {
  const select = make("select", "form-select form-select-sm");
  for (const [one, text] of options) select.append(new Option(text, one, false, one === value));
  if (value && !options.some(([one]) => one === value)) select.append(new Option(value, value, true, true));
  return { element: labelled(label, select), read: () => select.value };
}

/** A choice whose first option is what the workspace says; `undefined` while that is chosen. */
export function ownChoice(
  label: string,
  options: readonly Option[],
  value: string | undefined,
  common?: string,
): Field<string | undefined> {
  const name = options.find(([one]) => one === common)?.[1] ?? common;
  const inherited: Option = [
    INHERITED,
    name === undefined ? word("asWorkspace") : word("defaultIs", { value: name }),
  ];
  const inner = choice(label, [inherited, ...options], value ?? INHERITED);
  const mark = () => inner.element.classList.toggle("is-default", inner.read() === INHERITED);
  inner.element.addEventListener("change", mark);
  mark();
  return { element: inner.element, read: () => (inner.read() === INHERITED ? undefined : inner.read()) };
}

const INHERITED = "\u0000default";

/** Yes or no; `undefined` is as the workspace. */
export function ownSwitch(
  label: string,
  value: boolean | undefined,
  common?: boolean,
): Field<boolean | undefined> {
  const options: Option[] = [
    ["yes", word("on")],
    ["no", word("off")],
  ];
  const start = value === undefined ? undefined : value ? "yes" : "no";
  const inner = ownChoice(label, options, start, common === undefined ? common : common ? "yes" : "no");
  return { element: inner.element, read: () => ({ yes: true, no: false })[inner.read() ?? ""] };
}

export function text(label: string, value: string, placeholder = ""): Field<string> {
  const input = make("input", "form-control form-control-sm");
  input.value = value;
  input.placeholder = placeholder;
  return { element: labelled(label, input), read: () => input.value.trim() };
}

export function longText(label: string, value: string, className = ""): Field<string> {
  const area = make("textarea", `form-control ${className}`);
  area.value = value;
  area.rows = 12;
  area.addEventListener("keydown", (event) => event.key === "Enter" && event.stopPropagation());
  const element = labelled(label, area);
  element.classList.add("is-wide");
  return { element, read: () => area.value };
}

/** A number, or nothing. */
export function amount(
  label: string,
  value: number | null | undefined,
  placeholder = word("automatic"),
): Field<number | null> {
  const input = make("input", "form-control form-control-sm num");
  input.type = "number";
  input.step = "any";
  input.placeholder = placeholder;
  input.value = value === null || value === undefined ? "" : String(value);
  const read = () =>
    input.value.trim() === "" || Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber;
  return { element: labelled(label, input), read };
}

/** One of a few, all of them on show. */
export function segments(label: string, options: readonly Option[], value: string): Field<string> {
  const box = make("div", "segmented");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  let chosen = value;
  const show = () => {
    for (const button of box.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.value === chosen));
  };
  for (const [one, name] of options) {
    const button = make("button", "", name);
    button.type = "button";
    button.value = one;
    button.addEventListener("click", () => {
      chosen = one;
      show();
      box.dispatchEvent(new Event("change", { bubbles: true }));
    });
    box.append(button);
  }
  show();
  return { element: box, read: () => chosen };
}

/** What is hidden must not keep a form from being sent. */
export function showWhole(element: HTMLElement, isShown: boolean): void {
  element.hidden = !isShown;
  for (const input of element.querySelectorAll<HTMLInputElement>("input, select, textarea"))
    input.disabled = !isShown;
}
