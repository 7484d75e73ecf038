import { toast } from "../lib/announce";
import { make, makeIcon, one } from "../lib/dom";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import { post } from "./edit";

/** Tags are added by a field that completes the project's tags, and removed by their cross. */
export function enableTags(): void {
  const list = document.querySelector<HTMLElement>("[data-tags]");
  const form = list?.querySelector<HTMLFormElement>("form");
  if (!list || !form) return;
  const field = one<HTMLInputElement>("input[name=add]", form);
  const url = list.dataset.url ?? "";
  const change = async (fields: Record<string, string>) => {
    try {
      draw(list, form, (await post(url, fields)).tags);
    } catch (error) {
      toast(word("notSaved", { why: (error as Error).message }), "error");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const tag = field.value.trim();
    field.value = "";
    if (tag) void change({ add: tag });
  });
  list.addEventListener("click", (event) => {
    const cross = (event.target as Element).closest<HTMLElement>("[data-remove]");
    if (!cross) return;
    field.focus();
    void change({ remove: cross.dataset.remove ?? "" });
  });
  field.addEventListener("focus", () => void complete(list.dataset.complete ?? ""), { once: true });
}

async function complete(url: string): Promise<void> {
  const { tags } = await getJson<{ tags: string[] }>(url).catch(() => ({ tags: [] }));
  const options = tags.map((tag) => {
    const option = make("option");
    option.value = tag;
    return option;
  });
  one("#project-tags").replaceChildren(...options);
}

function draw(list: HTMLElement, form: HTMLElement, tags: string[]): void {
  for (const old of list.querySelectorAll("[data-tag]")) old.remove();
  for (const tag of tags) {
    const shown = make("span", "tag", tag);
    shown.dataset.tag = tag;
    const cross = make("button", "tag-remove");
    cross.type = "button";
    cross.dataset.remove = tag;
    cross.setAttribute("aria-label", word("removeTag", { tag }));
    cross.append(makeIcon("x"));
    shown.append(cross);
    form.before(shown);
  }
}
