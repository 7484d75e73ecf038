import { commandsCtx, editorViewCtx } from "@milkdown/kit/core";
import type { Ctx } from "@milkdown/kit/ctx";
import { clearTextInCurrentBlockCommand } from "@milkdown/kit/preset/commonmark";
import { openDialog } from "../lib/dialogs";
import { one } from "../lib/dom";

/** Ask for the address of a picture, its text, width and link, and put it where the cursor is. */
export function addPicture(ctx: Ctx): void {
  ctx.get(commandsCtx).call(clearTextInCurrentBlockCommand.key);
  const form = one<HTMLFormElement>("[data-picture-dialog] form");
  form.reset();
  form.onsubmit = (event) => {
    event.preventDefault();
    insert(ctx, new FormData(form));
    form.closest("dialog")?.close();
  };
  openDialog("intro-picture");
}

function insert(ctx: Ctx, given: FormData): void {
  const text = (name: string) => String(given.get(name) ?? "").trim();
  const view = ctx.get(editorViewCtx);
  const { image } = view.state.schema.nodes;
  const { link } = view.state.schema.marks;
  if (!image) return;
  const marks = text("link") && link ? [link.create({ href: text("link") })] : [];
  const node = image.create({ src: text("src"), alt: text("alt"), width: text("width") }, null, marks);
  view.dispatch(view.state.tr.replaceSelectionWith(node, false).scrollIntoView());
  view.focus();
}
