import { announce, offerUndo, toast } from "../lib/announce";
import { make, makeIcon, one } from "../lib/dom";
import { hasWords, wordsOf } from "../lib/matching";
import { word } from "../lib/words";
import { CodeEditor } from "./editor-code";
import { SweepForm } from "./editor-form";
import { capital } from "./editor-rows";
import { askCheck, type Change, type Check, type Problem } from "./editor-wire";

/** How long somebody has to rest while typing before the text is checked, milliseconds. */
const REST_MS = 250;

/** The form and the YAML of a sweep, which show the same text; the server reads it and changes it. */
export class SweepEditor {
  private readonly code: CodeEditor;
  private readonly view: SweepForm;
  private readonly saved: string;
  private readonly waiting: Change[] = [];
  private timer: number | undefined;
  private isAsking = false;
  private isLeaving = false;
  private checked: Check | undefined;

  constructor(private readonly form: HTMLFormElement) {
    this.code = new CodeEditor(one("[data-code]", form));
    this.view = new SweepForm(one("[data-form]", form), (change, isTyped) => this.change(change, isTyped));
    this.saved = this.code.text;
  }

  start(): void {
    this.code.area.addEventListener("input", () => this.askSoon(REST_MS));
    this.form.addEventListener("submit", (event) => this.submit(event));
    addEventListener("beforeunload", (event) => {
      if (!this.isLeaving && this.code.text !== this.saved) event.preventDefault();
    });
    for (const link of document.querySelectorAll<HTMLElement>("[data-start]")) {
      link.addEventListener("click", (event) => this.startFrom(link, event));
    }
    for (const button of document.querySelectorAll<HTMLElement>("[data-opens]")) button.hidden = false;
    enableFinding(this.form);
    this.askSoon(0);
  }

  private change(change: Change, isTyped: boolean): void {
    putChange(this.waiting, change);
    this.askSoon(isTyped ? REST_MS : 0);
  }

  private askSoon(pauseMs: number): void {
    window.clearTimeout(this.timer);
    this.say("checking");
    this.timer = window.setTimeout(() => void this.ask(), pauseMs);
  }

  /** Ask about the text as it is, with the first change that waits; what is typed meanwhile is asked about after. */
  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const { text } = this.code;
    const change = this.waiting.shift();
    try {
      const check = await askCheck(this.form.action, text, change);
      if (this.code.text === text) this.show(check);
      else if (change) this.waiting.unshift(change);
      if (this.waiting.length || this.code.text !== check.text) this.askSoon(0);
    } catch {
      if (change) this.waiting.unshift(change);
      this.say("checkFailed");
    } finally {
      this.isAsking = false;
    }
  }

  private show(check: Check): void {
    this.checked = check;
    this.code.replace(check.text);
    this.code.mark(check.errors, check.warnings);
    if (check.refused) toast(check.refused, "error");
    if (!this.waiting.length) this.view.show(check);
    const count = check.errors.length;
    this.say(count === 0 ? "valid" : count === 1 ? "errorsOne" : "errorsMany", count);
    const summary = one<HTMLElement>("[data-summary]", this.form);
    summary.textContent = count ? word("fixFirst") : word("comesTo", { summary: check.summary });
    summary.classList.toggle("is-wrong", count > 0);
    one("[data-problems]", this.form).replaceChildren(
      ...check.errors.map((problem) => this.item(problem, "error")),
      ...check.warnings.map((problem) => this.item(problem, "warning")),
    );
  }

  private say(key: string, count = 0): void {
    const state = one<HTMLElement>("[data-state]", this.form);
    state.textContent = word(key, { count });
    state.dataset.level = key.startsWith("errors") || key === "checkFailed" ? "error" : key;
  }

  private item({ path, message, line }: Problem, level: "error" | "warning"): HTMLElement {
    const item = make("li", "sweep-problem");
    item.dataset.level = level;
    item.append(makeIcon(level === "error" ? "circle-alert" : "triangle-alert"));
    const words = make("span", "sweep-problem-words");
    if (path) words.append(make("code", "", path), " ");
    words.append(path ? message : capital(message));
    item.append(words);
    if (line) {
      const button = make("button", "btn btn-sm btn-quiet", word("goToLine", { line }));
      button.type = "button";
      button.addEventListener("click", () => this.code.go(line));
      item.append(button);
    }
    return item;
  }

  private startFrom(link: HTMLElement, event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const before = this.code.text;
    const name = link.textContent ?? "";
    this.put(link.dataset.start ?? "");
    if (before !== this.saved) offerUndo(word("startReplaced", { name }), () => this.put(before));
    else announce(word("startReplaced", { name }));
  }

  private put(text: string): void {
    this.waiting.length = 0;
    this.code.replace(text);
    this.askSoon(0);
  }

  /** Errors that are known keep the form here; the text may have changed since, so the server checks again. */
  private submit(event: SubmitEvent): void {
    const keeps = event.submitter?.hasAttribute("data-keeps") ?? false;
    const first = this.checked?.text === this.code.text ? this.checked.errors[0] : undefined;
    if (first && !keeps) {
      event.preventDefault();
      this.code.go(first.line ?? 1);
      announce(`${first.path} ${first.message}`);
      return;
    }
    this.isLeaving = true;
  }
}

/** Let a change wait; it takes the place of one of the same field, of which only the last counts. */
export function putChange(waiting: Change[], change: Change): void {
  const { parameter, field } = change;
  const same = waiting.findIndex((one) => one.parameter === parameter && one.field === field);
  if (same >= 0 && field !== "add") waiting.splice(same, 1, change);
  else waiting.push(change);
}

/** Narrow the runs to learn from to those with all typed words. */
function enableFinding(form: HTMLElement): void {
  const field = form.querySelector<HTMLInputElement>("[data-find-runs]");
  if (!field) return;
  field.hidden = false;
  field.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  field.addEventListener("input", () => {
    const words = wordsOf(field.value);
    for (const item of form.querySelectorAll<HTMLElement>(".sweep-run-list > li")) {
      item.hidden = !hasWords(item.textContent ?? "", words);
    }
  });
}
