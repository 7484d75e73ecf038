import { openDialog } from "./dialogs";
import { one } from "./dom";
import { placeAfter } from "./lists";

/** Open the search by Ctrl/Cmd+K or its button; arrows move among the hits, Enter goes to the chosen one. */
export function enableSearch(): void {
  const input = one<HTMLInputElement>("#search-input");
  const hits = one<HTMLElement>("#search-hits");
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open(input);
    }
  });
  document.addEventListener("click", (event) => {
    if (!(event.target as Element).closest("[data-search-opener]") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    open(input);
  });
  /** What the hits that are shown answer; Enter waits for those of what is typed. */
  let answered = "";
  let isEntered = false;
  const go = (option: HTMLElement | undefined) => {
    isEntered = false;
    if (option) option.click();
    else input.form?.submit();
  };
  hits.addEventListener("click", (event) => {
    if ((event.target as Element).closest("[data-night-mode]")) hits.closest("dialog")?.close();
  });
  hits.addEventListener("htmx:afterSwap", (event) => {
    const { xhr } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail;
    answered = new URL(xhr.responseURL).searchParams.get("q") ?? "";
    const [first] = optionsIn(hits);
    choose(input, first);
    if (isEntered && answered === input.value) go(first);
  });
  input.addEventListener("input", () => {
    isEntered = false;
  });
  for (const failure of ["htmx:responseError", "htmx:sendError"]) {
    input.addEventListener(failure, () => isEntered && go(undefined));
  }
  input.addEventListener("keydown", (event) => {
    const options = optionsIn(hits);
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      choose(input, options[placeAfter(at, step, options.length)]);
    } else if (event.key === "Enter" && answered !== input.value) {
      event.preventDefault();
      isEntered = true;
    } else if (event.key === "Enter" && options[at]) {
      event.preventDefault();
      options[at].click();
    }
  });
}

function open(input: HTMLInputElement): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
  openDialog("search-dialog");
  input.select();
  input.dispatchEvent(new Event("search-opened"));
}

function optionsIn(hits: HTMLElement): HTMLElement[] {
  return [...hits.querySelectorAll<HTMLElement>("a[role=option]")];
}

function choose(input: HTMLInputElement, option: HTMLElement | undefined): void {
  for (const other of document.querySelectorAll("#search-hits [aria-selected=true]")) {
    other.setAttribute("aria-selected", "false");
  }
  if (!option) {
    input.removeAttribute("aria-activedescendant");
    return;
  }
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", option.id);
}
