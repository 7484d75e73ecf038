import { one } from "../lib/dom";
import type { Card } from "./card";
import { makerOf } from "./kinds";
import type { MakePanel, Panel, Stage } from "./panel";

/** The dialog that shows one panel over the whole window; it stays live as the small one does. */
export class Enlarged {
  panel: Panel | undefined;
  private readonly dialog = one<HTMLDialogElement>("#chart-dialog");
  private readonly body = one<HTMLElement>("#chart-dialog [data-body]");
  private readonly legend = one<HTMLElement>("#chart-dialog [data-legend]");
  private readonly value = one<HTMLElement>("#chart-dialog [data-value]");
  private readonly reset = one<HTMLButtonElement>("#chart-dialog [data-zoom-reset]");
  private onReset: (() => void) | null = null;
  /** Whose panel was set up otherwise in here. */
  private changed: Card | null = null;

  constructor(private readonly stage: Stage) {
    this.dialog.addEventListener("close", () => this.clear());
    this.reset.addEventListener("click", () => this.onReset?.());
    new ResizeObserver(() => this.panel?.refresh()).observe(this.body);
  }

  open(card: Card): void {
    void Promise.resolve(makerOf(card.spec.kind)).then((maker) => this.show(card, maker));
  }

  private show(card: Card, maker: MakePanel): void {
    one<HTMLElement>("#chart-dialog h2").textContent = card.spec.title;
    this.value.textContent = "";
    this.dialog.showModal();
    this.panel = maker(this.body, card.spec, this.stage, {
      legend: this.legend,
      keep: (part) => {
        card.keep(part);
        this.changed = card;
      },
      say: (text) => {
        this.value.textContent = text;
      },
      zoomed: (reset) => {
        this.onReset = reset;
        this.reset.hidden = !reset;
      },
    });
    this.panel.refresh();
  }

  private clear(): void {
    this.panel?.destroy();
    this.panel = undefined;
    this.onReset = null;
    this.reset.hidden = true;
    this.body.replaceChildren();
    this.changed?.rest();
    this.changed?.show();
    this.changed = null;
  }
}
