import alignCenter from "lucide-static/icons/align-center.svg";
import alignLeft from "lucide-static/icons/align-left.svg";
import alignRight from "lucide-static/icons/align-right.svg";
import image from "lucide-static/icons/image.svg";
import plus from "lucide-static/icons/plus.svg";
import trash from "lucide-static/icons/trash-2.svg";
import { word } from "../lib/words";

/** The icon of the block list for pictures. Crepe takes icons as text only, and no references to a sprite. */
export const pictureIcon = image;

/** Icons of a table's buttons, which have no other name for screen readers. */
export function tableIcons(): Record<string, string> {
  return {
    addRowIcon: named(plus, "tableAddRow"),
    addColIcon: named(plus, "tableAddColumn"),
    deleteRowIcon: named(trash, "tableDeleteRow"),
    deleteColIcon: named(trash, "tableDeleteColumn"),
    alignLeftIcon: named(alignLeft, "tableLeft"),
    alignCenterIcon: named(alignCenter, "tableCenter"),
    alignRightIcon: named(alignRight, "tableRight"),
  };
}

function named(svg: string, key: string): string {
  const holder = document.createElement("div");
  holder.innerHTML = svg; // of our own build
  const icon = holder.querySelector("svg");
  icon?.setAttribute("role", "img");
  icon?.setAttribute("aria-label", word(key));
  return icon?.outerHTML ?? svg;
}
