import type { Crop } from "./state";
import type { RunsTable } from "./table";

/** Let the choices of *Run name cropping* cut long names elsewhere (RUN-24); the style sheet does the cutting. */
export function enableCropping(table: RunsTable): void {
  const choices = table.root.querySelectorAll<HTMLInputElement>("input[name=crop]");
  for (const choice of choices) {
    choice.checked = choice.value === table.state.crop;
    choice.addEventListener("change", () => {
      table.state = { ...table.state, crop: choice.value as Crop };
      show();
      table.keep();
    });
  }
  const show = () => {
    table.root.dataset.crop = table.state.crop;
    for (const choice of choices) choice.checked = choice.value === table.state.crop;
  };
  table.addEventListener("drawn", show);
  show();
}
