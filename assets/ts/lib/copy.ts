import { announce, toast } from "./announce";
import { makeIcon } from "./dom";
import { word } from "./words";

/** Make every `[data-copy]` button of the page copy its text, now and after swaps. */
export function enableCopying(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-copy]");
    if (button) void copyFrom(button);
  });
}

async function copyFrom(button: HTMLElement): Promise<void> {
  if (!(await copyText(button.dataset.copy ?? "", button))) {
    toast(word("copyFailed"), "error");
    return;
  }
  announce(word("copied"));
  const icon = button.querySelector("svg");
  if (!icon || button.dataset.done !== undefined) return;
  const check = makeIcon("check");
  icon.replaceWith(check);
  button.dataset.done = "";
  setTimeout(() => {
    check.replaceWith(icon);
    delete button.dataset.done;
  }, 1500);
}

/** Copy by the clipboard API, or by a hidden field: plain http has no clipboard API outside localhost. */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => copyByField(text, near),
    );
  }
  return copyByField(text, near);
}

function copyByField(text: string, near: HTMLElement): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  near.after(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  near.focus();
  return done;
}
