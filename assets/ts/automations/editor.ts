import { one } from "../lib/dom";
import { Catalogue } from "../table/catalogue";
import { Combobox, type Option } from "../table/combobox";
import { enableExpression, type Filtered } from "../table/filter/expression";

/** Proposals shown at once. */
const MOST = 50;

/** Make typing easier in the form of an automation; without this it is a plain form. */
export function enableAutomationEditor(form: HTMLFormElement): void {
  const changed = () => form.dispatchEvent(new CustomEvent("preview"));
  for (const input of form.querySelectorAll<HTMLInputElement>("input[list]")) propose(input, changed);
  const url = form.dataset.runsUrl;
  if (url) completeExpression(form, url, changed);
}

/** Show what a `<datalist>` proposes in a list of our own, with what each is. */
function propose(input: HTMLInputElement, changed: () => void): void {
  const options = [...(input.list?.options ?? [])].map(
    ({ value, textContent }): Option => ({
      value,
      text: value,
      label: value,
      ...(textContent && textContent !== value ? { hint: textContent } : {}),
    }),
  );
  input.removeAttribute("list");
  new Combobox(input, {
    options: async () => matching(options, input.value),
    choose: ({ text }) => {
      input.value = text;
      changed();
    },
  });
}

/** Options that have every typed word, in their name or in what they are. */
function matching(options: Option[], typed: string): Option[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options.filter(({ label, hint }) => {
    const whole = `${label} ${hint ?? ""}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const isChosen = found.length === 1 && found[0]?.value === typed;
  return isChosen ? [] : found.slice(0, MOST);
}

/** Colour and complete the filter as the runs table does; the form sends it. */
function completeExpression(form: HTMLFormElement, url: string, changed: () => void): void {
  const field = one<HTMLElement>("[data-expression]", form);
  const input = one<HTMLInputElement>("input", field);
  field.classList.add("expression", "expression-tall");
  input.classList.remove("form-control", "mono", "is-invalid");
  one<HTMLElement>("[data-colours]", field).hidden = false;
  enableExpression(new FormFilter(form, url, input.value, changed), new Catalogue(new FormTable(url)));
}

/** Whose columns are proposed: those of the project's runs. */
class FormTable extends EventTarget {
  constructor(readonly url: string) {
    super();
  }
}

/** The form's filter, as the field of the runs table knows one. */
class FormFilter extends EventTarget implements Filtered {
  readonly error: Filtered["error"];
  state: { filter: string };

  constructor(
    readonly root: HTMLElement,
    readonly url: string,
    filter: string,
    private readonly changed: () => void,
  ) {
    super();
    this.state = { filter };
    const said = one<HTMLElement>("[data-expression-error]", root).textContent?.trim();
    this.error = said ? { message: said, position: null } : null;
  }

  async change({ filter }: { filter: string }): Promise<void> {
    this.state = { filter };
    this.changed();
  }
}
