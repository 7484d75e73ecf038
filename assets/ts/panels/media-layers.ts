import { make, makeIcon } from "../lib/dom";
import { word } from "../lib/words";
import { legend } from "../media/legend";
import { lookOf } from "../media/look";
import { place } from "./popup-menu";

/** A button that opens the legend of a key's masks and boxes; hidden where there are none. */
export function layersButton(key: string): HTMLElement {
  const box = make("div");
  const button = make("button", "btn btn-sm", word("layers"));
  button.type = "button";
  button.prepend(makeIcon("layers"));
  const switches = legend(key);
  switches.popover = "auto";
  button.popoverTargetElement = switches;
  switches.addEventListener("toggle", () => {
    if (switches.matches(":popover-open")) place(switches, button);
  });
  box.append(button, switches);
  const look = lookOf(key);
  look.follow(box, () => {
    box.hidden = !look.layers.size;
  });
  return box;
}
