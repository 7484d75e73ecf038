import type { Smoothing, SmoothingKind } from "../charts/smooth";
import { one } from "../lib/dom";
import type { Layout } from "../panels/layout";

/** Where the slider of each kind ends, and its fineness; the same of the amount that is typed. */
const RANGES: Record<SmoothingKind, { max: number; step: number; most: number; by: number }> = {
  none: { max: 0, step: 1, most: 0, by: 1 },
  ema: { max: 100, step: 1, most: 0.999, by: 0.01 },
  time: { max: 100, step: 1, most: 0.999, by: 0.01 },
  gaussian: { max: 50, step: 0.5, most: 1000, by: 0.5 },
  average: { max: 200, step: 1, most: 10_000, by: 1 },
};

/** Wire the controls for all line charts of the page. */
export class Toolbar {
  private readonly root = one<HTMLElement>("[data-toolbar]");
  private readonly slider = one<HTMLInputElement>("[data-view=smoothing]", this.root);
  private readonly amount = one<HTMLInputElement>("[data-view=smoothing-value]", this.root);
  private readonly kind = one<HTMLSelectElement>("[data-view=smoothing-kind]", this.root);
  private readonly devices = one<HTMLSelectElement>("[data-view=devices]", this.root);
  private readonly axis = one<HTMLSelectElement>("[data-view=x]", this.root);

  constructor(
    private readonly layout: Layout,
    private readonly changed: () => void,
  ) {
    this.axis.addEventListener("change", () => this.set({ x: this.axis.value }));
    this.slider.addEventListener("input", () => this.setSmoothing());
    this.amount.addEventListener("change", () => this.setAmount());
    this.kind.addEventListener("change", () => {
      this.slider.value = "0";
      this.setSmoothing();
    });
    for (const button of this.root.querySelectorAll<HTMLElement>("[data-toggle]")) {
      const name = button.dataset.toggle as
        | "logX"
        | "logY"
        | "band"
        | "original"
        | "withoutOutliers"
        | "totals"
        | "syncZoom";
      button.addEventListener("click", () => this.set({ [name]: !this.layout.view[name] }));
    }
    const columns = one<HTMLSelectElement>("[data-view=columns]", this.root);
    columns.addEventListener("change", () => {
      this.layout.setColumns(Number(columns.value));
      this.changed();
    });
    const more = one<HTMLElement>("[data-toolbar-more]", this.root); // on phones, where there is no room for all
    more.addEventListener("click", () => {
      const isOpen = this.root.classList.toggle("is-open");
      more.setAttribute("aria-expanded", String(isOpen));
    });
    this.devices.addEventListener("change", () => this.set({ devices: this.devices.value as "auto" }));
    this.show();
  }

  /** Offer more axes: keys that were logged. */
  offerAxes(keys: readonly string[]): void {
    offer(this.axis, keys, this.layout.view.x);
  }

  /** Show what is chosen. */
  show(): void {
    const { view } = this.layout;
    offer(this.axis, [], view.x);
    this.axis.value = view.x;
    this.kind.value = view.smoothing.kind;
    const { max, step, most, by } = RANGES[view.smoothing.kind];
    Object.assign(this.slider, { max: String(max), step: String(step), disabled: max === 0 });
    this.slider.value = String(positionOf(view.smoothing));
    Object.assign(this.amount, { max: String(most), step: String(by), disabled: max === 0 });
    this.amount.value = String(view.smoothing.amount);
    for (const button of this.root.querySelectorAll<HTMLElement>("[data-toggle]")) {
      const name = button.dataset.toggle as "band";
      button.setAttribute("aria-pressed", String(view[name]));
    }
    this.devices.value = view.devices;
    one<HTMLSelectElement>("[data-view=columns]", this.root).value = String(this.layout.columns);
  }

  private setSmoothing(): void {
    const kind = this.kind.value as SmoothingKind;
    this.set({ smoothing: { kind, amount: amountAt(kind, Number(this.slider.value)) } });
  }

  /** Take what was typed; the arrow keys of the field go by its step. */
  private setAmount(): void {
    const kind = this.kind.value as SmoothingKind;
    const typed = this.amount.valueAsNumber;
    const amount = Number.isNaN(typed) ? 0 : Math.max(0, Math.min(RANGES[kind].most, typed));
    this.set({ smoothing: { kind, amount } });
  }

  private set(part: Parameters<Layout["setView"]>[0]): void {
    this.layout.setView(part);
    this.show();
    this.changed();
  }
}

function offer(select: HTMLSelectElement, values: readonly string[], chosen: string): void {
  const known = new Set([...select.options].map(({ value }) => value));
  for (const value of [...values, chosen]) {
    if (known.has(value)) continue;
    known.add(value);
    select.append(new Option(value, value));
  }
}

/** Weights: square root, because the interesting ones are near 1. */
export function amountAt(kind: SmoothingKind, position: number): number {
  if (kind !== "ema" && kind !== "time") return position;
  return Math.round(Math.min(0.999, Math.sqrt(position / 100)) * 1000) / 1000;
}

export function positionOf({ kind, amount }: Smoothing): number {
  if (kind !== "ema" && kind !== "time") return amount;
  return amount >= 0.999 ? 100 : Math.round(amount * amount * 100);
}
