import { sayOutputs } from "./outputs";

/** Open a `<dialog>` from `[data-opens="id"]`; a click on its backdrop or `[data-closes]` closes it. */
export function enableDialogs(): void {
  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    const opener = target.closest<HTMLElement>("[data-opens]");
    if (opener) openDialog(opener.dataset.opens ?? "");
    if (target.closest("[data-closes]")) target.closest("dialog")?.close();
    if (target instanceof HTMLDialogElement && isOutside(target, event)) target.close();
    const dismiss = target.closest("[data-dismiss]");
    if (dismiss) dismiss.closest(".toast-note")?.remove();
  });
}

/** Show the dialog with this id; the browser keeps focus inside and gives it back. */
export function openDialog(id: string): void {
  const dialog = document.getElementById(id);
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return;
  countChosen(dialog);
  void sayOutputs(dialog);
  dialog.showModal();
}

/** Fill `[data-count-of="name"]` with how many boxes of that name are ticked in the form around the dialog. */
function countChosen(dialog: HTMLDialogElement): void {
  for (const place of dialog.querySelectorAll<HTMLElement>("[data-count-of]")) {
    const boxes = dialog.closest("form")?.querySelectorAll(`input[name="${place.dataset.countOf}"]:checked`);
    place.textContent = String(boxes?.length ?? 0);
  }
}

function isOutside(dialog: HTMLDialogElement, event: MouseEvent): boolean {
  const box = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}
