import { make, one } from "../lib/dom";
import { word } from "../lib/words";
import { propose } from "../table/propose";
import { capital, isWithin, Rows, type Tell } from "./editor-rows";
import type { Check, FormState, Problem } from "./editor-wire";

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The form beside the text: shows what the server read of it, and tells what somebody changes. */
export class SweepForm {
  private readonly rows: Rows;
  private readonly inputs: Input[];

  constructor(
    private readonly root: HTMLElement,
    private readonly tell: Tell,
  ) {
    this.rows = new Rows(one("[data-rows]", root), one<HTMLTemplateElement>("template[data-row]"), tell);
    this.inputs = [...root.querySelectorAll<Input>("[data-field]")];
    for (const input of this.inputs) this.listen(input);
    const metric = one<HTMLInputElement>("[data-field='metric.name']", root);
    propose(metric, () => this.told(metric, false));
    one("[data-add]", root).addEventListener("click", () => this.rows.add());
    root.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
    });
    root.hidden = false;
  }

  /** Show what the text says; where it cannot be read, the form rests as it was. */
  show(check: Check): void {
    const { form } = check;
    const off = one<HTMLElement>("[data-form-off]", this.root);
    off.hidden = form !== null;
    off.textContent = word(check.errors.length ? "formOff" : "formTooLarge");
    for (const part of this.root.querySelectorAll<HTMLFieldSetElement>("fieldset")) part.disabled = !form;
    if (!form) return;
    this.fill(form);
    this.rows.show(form.parameters);
    this.showProblems(check.errors);
    this.showLeft(form, check.has_comments);
  }

  private listen(input: Input): void {
    const isTyped = input.matches("textarea, input:not([type=radio], [type=checkbox])");
    input.addEventListener(isTyped ? "input" : "change", () => this.told(input, isTyped));
  }

  private told(input: Input, isTyped: boolean): void {
    const isBox = input instanceof HTMLInputElement && input.type === "checkbox";
    const typed = isBox ? (input.checked ? "on" : "") : input.value;
    this.tell({ field: input.dataset.field ?? "", typed }, isTyped);
  }

  private fill(form: FormState): void {
    for (const input of this.inputs) {
      const name = input.dataset.field ?? "";
      if (input instanceof HTMLInputElement && input.type === "radio") {
        input.checked = input.value === form.fields[name];
      } else if (input instanceof HTMLInputElement && input.type === "checkbox") {
        input.checked = name === "retry_crashed" ? form.retries : form.is_early;
      } else if (input !== document.activeElement || input instanceof HTMLSelectElement) {
        input.value = form.fields[name] ?? "";
      }
    }
    one<HTMLElement>("[data-early]", this.root).hidden = !form.is_early;
    if (form.fields.command) one<HTMLDetailsElement>("[data-command]", this.root).open = true;
  }

  private showProblems(problems: readonly Problem[]): void {
    for (const old of this.root.querySelectorAll("[data-path] > .field-error")) old.remove();
    const places = [...this.root.querySelectorAll<HTMLElement>("[data-path]")].reverse();
    for (const problem of this.rows.showProblems(problems)) {
      const place = places.find(({ dataset }) => isWithin(problem.path, dataset.path ?? ""));
      if (!place) continue;
      const said = make("div", "field-error");
      said.append(make("div", "", capital(problem.message)));
      place.append(said);
    }
    for (const input of this.inputs) {
      const isWrong = problems.some(({ path }) => isWithin(path, input.dataset.field ?? ""));
      if (input.matches("[type=radio], [type=checkbox]")) continue;
      input.classList.toggle("is-invalid", isWrong);
      input.setAttribute("aria-invalid", String(isWrong));
    }
  }

  private showLeft(form: FormState, hasComments: boolean): void {
    const said: string[] = [];
    if (form.left.length) said.push(word("leftInText", { keys: form.left.join(", ") }));
    if (hasComments) said.push(word("commentsStay"));
    const left = one<HTMLElement>("[data-left]", this.root);
    left.hidden = !said.length;
    left.textContent = said.join(" ");
  }
}
