import { one } from "../lib/dom";
import { Catalogue } from "../table/catalogue";
import { enableExpression, type Filtered } from "../table/filter/expression";
import { propose } from "../table/propose";

/** Make typing easier in the form of an automation; without this it is a plain form. */
export function enableAutomationEditor(form: HTMLFormElement): void {
  const changed = () => form.dispatchEvent(new CustomEvent("preview"));
  for (const input of form.querySelectorAll<HTMLInputElement>("input[list]")) propose(input, changed);
  const url = form.dataset.runsUrl;
  if (url) completeExpression(form, url, changed);
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
