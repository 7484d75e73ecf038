import type { Crop } from "./state";

/** Read a kept choice, which nobody may have made. */
export function readCrop(kept: unknown): Crop {
  return kept === "start" || kept === "end" ? kept : "middle";
}

/**
 * Let the choices of *Run name cropping* inside of `root` cut long names elsewhere (RUN-24); the style sheet does the
 * cutting. Returns what shows the choice when something else has changed it.
 */
export function enableCropping(
  root: HTMLElement,
  chosen: () => Crop,
  choose: (crop: Crop) => void,
): () => void {
  const choices = root.querySelectorAll<HTMLInputElement>("input[name=crop]");
  const show = () => {
    root.dataset.crop = chosen();
    for (const choice of choices) choice.checked = choice.value === chosen();
  };
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      choose(choice.value as Crop);
      show();
    });
  }
  show();
  return show;
}
