import { one } from "../lib/dom";
import type { Card } from "./card";
import { makerOf } from "./kinds";
import { broken } from "./notes";
import type { MakePanel, Panel, Stage } from "./panel";

/** The dialog that shows one panel over the whole window; it stays live as the small one does. */
export class Enlarged {
  panel: Panel | undefined;
  private readonly dialog = one<HTMLDialogElement>("#chart-dialog");
  private readonly body = one<HTMLElement>("#chart-dialog [data-body]");
  private readonly legend = one<HTMLElement>("#chart-dialog [data-legend]");
  private readonly value = one<HTMLElement>("#chart-dialog [data-value]");
  private readonly earlier = one<HTMLButtonElement>("#chart-dialog [data-earlier]");
  private readonly later = one<HTMLButtonElement>("#chart-dialog [data-later]");
  private readonly reset = one<HTMLButtonElement>("#chart-dialog [data-zoom-reset]");
  private onReset: (() => void) | null = null;
  /** Whose panel was set up otherwise in here. */
  private changed: Card | null = null;
  private card: Card | null = null;

  /** @param next - The card so many places on. */
  constructor(
    private readonly stage: Stage,
    private readonly next: (card: Card, places: number) => Card | undefined,
  ) {
    this.dialog.addEventListener("close", () => this.clear());
    this.earlier.addEventListener("click", () => this.turn(-1));
    this.later.addEventListener("click", () => this.turn(1));
    this.dialog.addEventListener("keydown", (event) => {
      const places = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const target = event.target as Element;
      if (!places || !(target === this.dialog || target.closest(".modal-head"))) return; // charts have arrows, too
      event.preventDefault();
      this.turn(places);
    });
    this.reset.addEventListener("click", () => this.onReset?.());
    new ResizeObserver(() => this.panel?.refresh()).observe(this.body);
  }

  open(card: Card): void {
    void Promise.resolve(makerOf(card.spec))
      .then((maker) => this.show(card, maker))
      .catch((error: unknown) => broken(this.body, error));
  }

  /** Show the panel before or after it. */
  private turn(places: number): void {
    const card = this.card && this.next(this.card, places);
    if (card) this.open(card);
  }

  private show(card: Card, maker: MakePanel): void {
    this.clear();
    this.card = card;
    one<HTMLElement>("#chart-dialog h2").textContent = card.spec.title;
    this.earlier.setAttribute("aria-disabled", String(!this.next(card, -1)));
    this.later.setAttribute("aria-disabled", String(!this.next(card, 1)));
    this.value.textContent = "";
    if (!this.dialog.open) this.dialog.showModal();
    this.panel = maker(this.body, card.spec, this.stage, {
      legend: this.legend,
      keep: (part) => {
        card.keep(part);
        this.changed = card;
      },
      say: (text) => {
        this.value.textContent = text;
      },
      failed: (error) => broken(this.body, error),
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
    this.card = null;
    this.onReset = null;
    this.reset.hidden = true;
    this.legend.hidden = true;
    this.body.replaceChildren();
    this.changed?.rest();
    this.changed?.show();
    this.changed = null;
  }
}
