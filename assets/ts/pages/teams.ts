import { announce } from "../lib/announce";
import { one } from "../lib/dom";
import { withPerson } from "../lib/people";
import { enableSentForms } from "../lib/sent-forms";

enableSentForms();
enableAdding();
for (const part of document.querySelectorAll<HTMLElement>("[data-shown-when]")) follow(part);

/** A click on `[data-adds]` puts its text into the field of people, on a line of its own. */
function enableAdding(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-adds]");
    if (!button) return;
    const field = one<HTMLTextAreaElement>("[data-people]");
    field.value = withPerson(field.value, button.dataset.adds ?? "");
    button.setAttribute("aria-pressed", "true");
    announce(field.value.split("\n").join(", "));
  });
}

/** Show a part only while the select named before "=" has one of the values after it, which blanks part. */
function follow(part: HTMLElement): void {
  const [id = "", values = ""] = (part.dataset.shownWhen ?? "").split("=");
  const select = document.getElementById(id);
  if (!(select instanceof HTMLSelectElement)) return;
  const update = (): void => {
    part.hidden = !values.split(" ").includes(select.value);
  };
  select.addEventListener("change", update);
  update();
}
