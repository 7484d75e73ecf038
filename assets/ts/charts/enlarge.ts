import { one } from "../lib/dom";
import type { Card } from "./card";
import { Chart } from "./chart";
import type { Series } from "./series";
import type { View } from "./view";

/** The dialog that shows one chart large; it follows the run as the small one does. */
export class Enlarged {
  private chart: Chart | undefined;
  private key = "";
  private readonly dialog = one<HTMLDialogElement>("#chart-dialog");
  private readonly body = one<HTMLElement>("#chart-dialog [data-body]");

  constructor(private readonly view: View) {
    this.dialog.addEventListener("close", () => this.clear());
    addEventListener("resize", () => this.chart?.resize());
  }

  open(card: Card, series: Series | undefined): void {
    if (!series?.length) return;
    one<HTMLElement>("#chart-dialog h2").textContent = card.title;
    const value = one<HTMLElement>("#chart-dialog [data-value]");
    value.textContent = "";
    this.dialog.showModal();
    this.key = card.key;
    this.chart = new Chart(this.body, series, {
      height: Math.max(240, Math.min(560, innerHeight - 220)),
      view: this.view,
      readout: (tip) => {
        value.textContent = tip ? `${tip.x} · ${tip.value}` : "";
      },
    });
  }

  update(key: string, series: Series): void {
    if (key === this.key) this.chart?.update(series);
  }

  private clear(): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.key = "";
  }
}
