import { announce, toast } from "../lib/announce";
import { copyText } from "../lib/copy";
import { make } from "../lib/dom";
import { word } from "../lib/words";
import { highlight } from "./highlight";

/** Prepare what is shown of a run's code: line numbers, colors, the search among packages. */
export function prepareCode(root: ParentNode): void {
  for (const text of root.querySelectorAll<HTMLElement>("pre[data-code]")) {
    numberLines(text);
    markLine(text);
  }
  for (const text of root.querySelectorAll<HTMLElement>("pre[data-language]")) highlight(text);
  for (const section of root.querySelectorAll<HTMLElement>("[data-packages]")) enablePackages(section);
}

/** Links, copying and jumps, wherever on the page they are now or later. */
export function enableCode(): void {
  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>("[data-copies-code]");
    if (button) void copyFile(button);
    const jump = target.closest<HTMLAnchorElement>(".patch-files a");
    if (jump) document.querySelector<HTMLDetailsElement>(jump.hash)?.setAttribute("open", "");
    const chosen = target.closest("a[data-preview]");
    if (chosen) markChosen(chosen);
  });
  addEventListener("hashchange", () => {
    for (const text of document.querySelectorAll<HTMLElement>("pre[data-code]")) markLine(text);
  });
}

function markChosen(chosen: Element): void {
  for (const link of document.querySelectorAll("a[data-preview]")) link.removeAttribute("aria-current");
  chosen.setAttribute("aria-current", "true");
}

/** How many lines a text has; a newline at its end begins none. */
export function lineCount(text: string): number {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

/** Each number is a link to its line. */
function numberLines(text: HTMLElement): void {
  const numbers = text.parentElement?.querySelector<HTMLElement>("[data-code-numbers]");
  if (!numbers) return;
  const links = Array.from({ length: lineCount(text.textContent ?? "") }, (_, index) => {
    const link = make("a", "", String(index + 1));
    link.href = `#L${index + 1}`;
    link.tabIndex = -1;
    return link;
  });
  numbers.replaceChildren(...links);
}

/** Mark the line that the address names, and bring it into view. */
function markLine(text: HTMLElement): void {
  const numbers = text.parentElement?.querySelector<HTMLElement>("[data-code-numbers]");
  numbers?.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = Number(/^#L(\d+)$/.exec(location.hash)?.[1]);
  const link = line ? numbers?.children[line - 1] : undefined;
  link?.setAttribute("aria-current", "true");
  link?.scrollIntoView({ block: "center" });
}

async function copyFile(button: HTMLElement): Promise<void> {
  const text = button.closest("section")?.querySelector("pre[data-code]")?.textContent ?? "";
  if (await copyText(text, button)) {
    announce(word("copied"));
    toast(word("copied"), "success");
  } else toast(word("copyFailed"), "error");
}

function enablePackages(section: HTMLElement): void {
  const search = section.querySelector<HTMLInputElement>("[data-packages-search]");
  const count = section.querySelector<HTMLElement>("[data-packages-count]");
  const note = section.querySelector<HTMLElement>("[data-no-match]");
  const rows = [...section.querySelectorAll<HTMLElement>("[data-package]")];
  search?.addEventListener("input", () => {
    const typed = search.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !(row.dataset.package ?? "").includes(typed);
    const shown = rows.filter((row) => !row.hidden).length;
    if (count)
      count.textContent = typed ? word("packagesShown", { n: shown, all: rows.length }) : String(rows.length);
    if (note) note.hidden = shown > 0;
  });
}
