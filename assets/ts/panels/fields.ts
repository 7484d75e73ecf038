import { make, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";

/** A field of a form: its element, and what it holds now. */
export interface Field<T> {
  element: HTMLElement;
  read(): T;
}

type Option = readonly [value: string, text: string];
let made = 0;

function labelled(label: string, input: HTMLElement): HTMLElement {
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

export function text(label: string, value: string, placeholder = ""): Field<string> {
  const input = make("input", "form-control form-control-sm");
  input.value = value;
  input.placeholder = placeholder;
  return { element: labelled(label, input), read: () => input.value.trim() };
}

/** A number, or nothing. */
export function amount(label: string, value: number | null | undefined): Field<number | null> {
  const input = make("input", "form-control form-control-sm num");
  input.type = "number";
  input.step = "any";
  input.placeholder = word("automatic");
  input.value = value === null || value === undefined ? "" : String(value);
  const read = () =>
    input.value.trim() === "" || Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber;
  return { element: labelled(label, input), read };
}

/** As the whole workspace, yes, or no. */
export function threeWay(label: string, value: boolean | undefined): Field<boolean | undefined> {
  const options: Option[] = [
    ["", word("asWorkspace")],
    ["yes", word("yes")],
    ["no", word("no")],
  ];
  const inner = choice(label, options, value === undefined ? "" : value ? "yes" : "no");
  return { element: inner.element, read: () => ({ yes: true, no: false })[inner.read()] };
}

/** Several of many names, in an order of one's own; completed while typing. */
export function several(
  label: string,
  options: readonly string[],
  values: readonly string[],
): Field<string[]> {
  const chosen = [...values];
  const input = make("input", "form-control form-control-sm");
  input.placeholder = word("typeToAdd");
  input.autocomplete = "off";
  const list = make("datalist");
  list.id = `panel-options-${made}`;
  list.append(...options.map((option) => new Option(option, option)));
  input.setAttribute("list", list.id);
  const chips = make("div", "panel-chips");
  const show = () => {
    chips.replaceChildren(
      ...chosen.map((value) => {
        const chip = make("span", "tag", value);
        const remove = makeIconButton("x", word("removeOne", { key: value }));
        remove.addEventListener("click", () => {
          chosen.splice(chosen.indexOf(value), 1);
          show();
          input.focus();
        });
        chip.append(remove);
        return chip;
      }),
    );
  };
  const left = (isFitting: (option: string) => boolean) =>
    options.find((option) => isFitting(option) && !chosen.includes(option));
  const add = (value: string | undefined) => {
    if (value === undefined) return;
    chosen.push(value);
    input.value = "";
    show();
  };
  const typed = () => input.value.trim();
  const addWhole = () => add(left((option) => option === typed()));
  input.addEventListener("input", (event) => {
    if (isPicked(event)) addWhole();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && typed()) {
      event.preventDefault();
      if (chosen.includes(typed())) input.value = "";
      else
        add(
          left((option) => option === typed()) ??
            left((option) => option.startsWith(typed())) ??
            left((option) => option.includes(typed())),
        );
    }
    if (event.key === "Backspace" && !input.value && chosen.pop() !== undefined) show();
  });
  show();
  const element = labelled(label, input);
  element.append(list, chips);
  element.classList.add("is-wide");
  return {
    element,
    read: () => {
      addWhole();
      return [...chosen];
    },
  };
}

/** Whether a name was taken from the list, not typed: typing may go on, as from `loss` to `loss_cls`. */
function isPicked(event: Event): boolean {
  return !(event instanceof InputEvent) || event.inputType === "insertReplacementText";
}
