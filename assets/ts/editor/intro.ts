import { toast } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import type { BlockEditor } from "./blocks";

/** *Edit* opens the block editor in place of the intro; where it does not load, the text field stays. */
export function enableIntro(): void {
  const section = document.querySelector<HTMLElement>("[data-intro]");
  if (!section) return;
  const begin = section.querySelector<HTMLElement>("[data-edit-intro]");
  begin?.addEventListener("click", (event) => {
    event.preventDefault();
    void edit(section, begin);
  });
  if (!begin) void edit(section, null);
}

async function edit(section: HTMLElement, begin: HTMLElement | null): Promise<void> {
  const form = one<HTMLFormElement>("[data-intro-form]", section);
  const field = one<HTMLTextAreaElement>("textarea", form);
  begin?.setAttribute("aria-busy", "true");
  const editor = await load(section, field.value);
  form.hidden = false;
  one<HTMLElement>("[data-intro-shown]", section).hidden = true;
  if (begin) begin.hidden = true;
  if (editor) {
    one<HTMLElement>("[data-intro-plain]", form).hidden = true;
    one<HTMLElement>("[data-intro-keys]", form).hidden = false;
    editor.focus();
  } else {
    toast(word("editorFailed"), "error");
    field.focus();
  }
  guard(form, field, editor);
}

async function load(section: HTMLElement, markdown: string): Promise<BlockEditor | null> {
  const root = one<HTMLElement>("[data-intro-editor]", section);
  try {
    const [{ openBlockEditor }] = await Promise.all([
      import("./blocks"),
      loadStyle(section.dataset.style ?? ""),
    ]);
    root.hidden = false;
    return await openBlockEditor(root, markdown);
  } catch (error) {
    console.info("editor:", error);
    root.hidden = true;
    return null;
  }
}

function loadStyle(href: string): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => reject(new Error(`no style at ${href}`)));
    document.head.append(link);
  });
}

/** Save what the editor holds; ask before what was changed is lost. */
function guard(form: HTMLFormElement, field: HTMLTextAreaElement, editor: BlockEditor | null): void {
  const text = () => editor?.markdown() ?? field.value;
  const before = text();
  let isLeaving = false;
  form.addEventListener("submit", () => {
    isLeaving = true;
    if (text() !== before) field.value = text(); // opening alone changes no bullet and no blank line
  });
  one<HTMLElement>("[data-cancel-intro]", form).addEventListener("click", (event) => {
    isLeaving = text() === before || confirm(word("editorUnsaved"));
    if (!isLeaving) event.preventDefault();
  });
  addEventListener("beforeunload", (event) => {
    if (!isLeaving && text() !== before) event.preventDefault();
  });
}
