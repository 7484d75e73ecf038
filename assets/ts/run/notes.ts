import { one } from "../lib/dom";
import { word } from "../lib/words";
import { post } from "./edit";

/** How long after the last key notes are saved, milliseconds. */
const PAUSE_MS = 800;

/** Notes are written in place and save themselves; done, the page shows them as Markdown. */
export function enableNotes(): void {
  const section = document.querySelector<HTMLElement>("[data-notes]");
  const form = section?.querySelector<HTMLFormElement>("[data-notes-form]");
  if (!section || !form) return;
  const shown = one<HTMLElement>("[data-notes-shown]", section);
  const begin = one<HTMLButtonElement>("[data-begin-notes]", section);
  const state = one<HTMLElement>("[data-save-state]", section);
  const field = one<HTMLTextAreaElement>("textarea", form);
  let saved = field.value;
  let timer: number | undefined;

  const save = async (): Promise<boolean> => {
    clearTimeout(timer);
    const text = field.value;
    if (text === saved) return true;
    state.textContent = word("saving");
    try {
      await post(form.action, { notes: text });
      saved = text;
      state.textContent = word("saved");
      return true;
    } catch (error) {
      state.textContent = word("notSaved", { why: (error as Error).message });
      return false;
    }
  };
  begin.addEventListener("click", () => {
    form.hidden = false;
    shown.hidden = begin.hidden = true;
    field.focus();
  });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void save(), PAUSE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void save().then((done) => done && location.reload());
  });
  addEventListener("beforeunload", (event) => {
    if (field.value !== saved) event.preventDefault();
  });
}
