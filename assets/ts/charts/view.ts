import { recall, remember } from "../lib/store";

export type XAxis = "step" | "runtime" | "timestamp";

/** How all charts of a page are drawn. */
export interface View {
  xAxis: XAxis;
  logY: boolean;
  /** Weight of the moving average, 0 to 0.999. */
  smoothing: number;
  band: boolean;
}

/** Wire the toolbar, remember the choices under `store`, call `changed` on each change; returns the live object. */
export function openView(toolbar: HTMLElement, store: string, initial: View, changed: () => void): View {
  const view: View = { ...initial, ...recall<Partial<View>>(store, {}) };
  const axis = toolbar.querySelector<HTMLSelectElement>("[data-view=x-axis]");
  const slider = toolbar.querySelector<HTMLInputElement>("[data-view=smoothing]");
  const shown = toolbar.querySelector<HTMLElement>("[data-view=smoothing-value]");
  const toggles = { logY: "log-y", band: "band" } as const;

  const show = () => {
    if (axis) axis.value = view.xAxis;
    if (slider) slider.value = String(positionOf(view.smoothing));
    if (shown)
      shown.textContent = view.smoothing ? view.smoothing.toFixed(view.smoothing > 0.99 ? 3 : 2) : "0";
    for (const [field, name] of Object.entries(toggles)) {
      const pressed = String(view[field as keyof typeof toggles]);
      toolbar.querySelector(`[data-view=${name}]`)?.setAttribute("aria-pressed", pressed);
    }
  };
  const update = (part: Partial<View>) => {
    Object.assign(view, part);
    show();
    remember(store, view);
    changed();
  };
  axis?.addEventListener("change", () => update({ xAxis: axis.value as XAxis }));
  slider?.addEventListener("input", () => update({ smoothing: weightAt(Number(slider.value)) }));
  for (const [field, name] of Object.entries(toggles)) {
    const key = field as keyof typeof toggles;
    toolbar
      .querySelector(`[data-view=${name}]`)
      ?.addEventListener("click", () => update({ [key]: !view[key] }));
  }
  show();
  return view;
}

/** The slider runs 0–100; square root, because the interesting weights are near 1. */
function weightAt(position: number): number {
  return Math.round(Math.min(0.999, Math.sqrt(position / 100)) * 1000) / 1000;
}

function positionOf(weight: number): number {
  return weight >= 0.999 ? 100 : Math.round(weight * weight * 100);
}
