import { word } from "../lib/words";
import { popUp } from "../panels/popup-menu";

/** What the menu of a run in the list does. */
export interface RunMenuActions {
  pin(uid: string): void;
  setBaseline(uid: string): void;
  drawOnly(uid: string): void;
}

/** Open the menu of a row of the list below its button. */
export function openRunMenu(row: HTMLElement, button: HTMLElement, actions: RunMenuActions): void {
  const { uid = "", pinned, baseline } = row.dataset;
  const isPinned = pinned !== undefined;
  const isBaseline = baseline !== undefined;
  popUp(button, "run-menu", [
    {
      icon: isPinned ? "pin-off" : "pin",
      text: word(isPinned ? "unpinRun" : "pinRun"),
      act: () => actions.pin(uid),
    },
    {
      icon: isBaseline ? "flag-off" : "flag",
      text: word(isBaseline ? "clearBaseline" : "setBaseline"),
      act: () => actions.setBaseline(uid),
    },
    { icon: "eye", text: word("drawOnly"), act: () => actions.drawOnly(uid) },
  ]);
}
