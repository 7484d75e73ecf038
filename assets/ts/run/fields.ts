import { toast } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import { post } from "./edit";

/** Save every one-field form marked `[data-edits]` when its field is left or Enter is pressed. */
export function enableFields(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-edits]")) {
    const name = form.dataset.edits ?? "";
    if (name === "display_name") enableRenaming(form);
    else enableField(form, name as "group" | "job_type");
  }
}

function enableField(form: HTMLFormElement, name: "group" | "job_type"): void {
  const field = one<HTMLInputElement>("input.quiet-input", form);
  let saved = field.value;
  const save = async () => {
    if (field.value === saved) return;
    try {
      saved = field.value = (await post(form.action, { [name]: field.value }))[name];
      toast(word("saved"), "success");
    } catch (error) {
      toast(word("notSaved", { why: (error as Error).message }), "error");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    field.blur();
  });
  field.addEventListener("blur", () => void save());
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    field.value = saved;
    field.blur();
  });
}

/** The pencil beside the title turns it into a field. */
function enableRenaming(form: HTMLFormElement): void {
  const title = one<HTMLElement>("[data-title]");
  const begin = one<HTMLButtonElement>("[data-begin-edit]");
  const field = one<HTMLInputElement>("input[name=display_name]", form);
  const show = (editing: boolean) => {
    form.hidden = !editing;
    title.hidden = begin.hidden = editing;
    if (editing) field.select();
    else begin.focus();
  };
  begin.addEventListener("click", () => {
    field.value = title.textContent ?? "";
    show(true);
  });
  one("[data-cancel]", form).addEventListener("click", () => show(false));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(false);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    post(form.action, { display_name: field.value }).then(
      ({ display_name }) => {
        document.title = document.title.replace(title.textContent ?? "", display_name);
        title.textContent = title.title = display_name;
        one<HTMLElement>("[data-run-name]").dataset.runName = display_name;
        show(false);
      },
      (error: Error) => toast(word("notSaved", { why: error.message }), "error"),
    );
  });
}
