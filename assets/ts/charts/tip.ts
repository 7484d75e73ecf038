import type uPlot from "uplot";
import { make } from "../lib/dom";

/** What the crosshair is on. */
export interface Tip {
  x: string;
  value: string;
  details: string[];
}

/** Show `tip` beside the crosshair of `plot`, on the side with more room; hide it for null. */
export function moveTip(plot: uPlot, tip: Tip | null): void {
  let box = plot.over.querySelector<HTMLElement>(".chart-tip");
  if (!tip) {
    box?.remove();
    return;
  }
  if (!box) {
    box = make("div", "chart-tip");
    plot.over.append(box);
  }
  const lines = tip.details.map((line) => make("span", "", line));
  box.replaceChildren(make("span", "", tip.x), make("strong", "", tip.value), ...lines);
  const left = plot.cursor.left ?? 0;
  const onRight = left < plot.over.clientWidth / 2;
  box.style.left = onRight ? `${left + 12}px` : "auto";
  box.style.right = onRight ? "auto" : `${plot.over.clientWidth - left + 12}px`;
}
