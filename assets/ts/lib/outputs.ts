import { getJson } from "./http";

/**
 * Say in `[data-outputs]` of a dialog what deleting runs would delete with them.
 *
 * @param runs - Names the runs as `uid`, or `all` with a query; those ticked in the dialog's form when left out.
 */
export async function sayOutputs(dialog: HTMLDialogElement, runs?: URLSearchParams): Promise<void> {
  const place = dialog.querySelector<HTMLElement>("[data-outputs]");
  if (!place) return;
  place.textContent = "";
  const params = runs ?? new URLSearchParams({ uid: ticked(dialog).join(",") });
  try {
    const { text } = await getJson<{ text: string }>(`${place.dataset.outputs}?${params}`);
    place.textContent = text;
  } catch {
    // the box says what it does without a count, too
  }
}

function ticked(dialog: HTMLDialogElement): string[] {
  const form = dialog.closest("form") ?? dialog.querySelector("form");
  return form ? new FormData(form).getAll("uid").map(String) : [];
}
