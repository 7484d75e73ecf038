import { make } from "../lib/dom";
import { type DrawnLine, dashOfLine } from "./frame";
import { paint } from "./palette";

type Style = Pick<DrawnLine, "color" | "dash">;

/** A short piece of a line, in its color and dash. */
export function makeSwatch(line: Style): HTMLElement {
  const swatch = make("i", "line-swatch");
  paintSwatch(swatch, line);
  return swatch;
}

export function paintSwatch(swatch: HTMLElement, line: Style): void {
  paint(swatch, line.color);
  swatch.dataset.dash = String(dashOfLine(line));
}
