import { one } from "../lib/dom";

/** Pixels. */
const NARROWEST = 200;
const WIDEST = 560;
const KEY_STEP = 16;

/** Let the edge of the list of runs be dragged, or moved by arrow keys; kept when it is let go. */
export class SelectorWidth {
  private readonly box = one<HTMLElement>(".selector");
  private readonly edge = one<HTMLElement>("[data-selector-edge]");

  constructor(private readonly keep: (width: number) => void) {
    this.edge.addEventListener("pointerdown", (event) => this.drag(event));
    this.edge.addEventListener("dblclick", () => this.keep(0));
    this.edge.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
      if (!by) return;
      event.preventDefault();
      this.keep(clamp(this.box.offsetWidth + by));
    });
  }

  /** Show a kept width; 0 is the usual one. */
  show(width: number): void {
    this.box.style.setProperty("--selector-width", width ? `${clamp(width)}px` : "");
    this.edge.setAttribute("aria-valuenow", String(width || this.box.offsetWidth));
  }

  private drag(event: PointerEvent): void {
    event.preventDefault();
    this.edge.setPointerCapture(event.pointerId);
    const start = this.box.offsetWidth - event.clientX;
    let width = 0;
    const move = (moved: PointerEvent) => {
      width = clamp(start + moved.clientX);
      this.show(width);
    };
    this.edge.addEventListener("pointermove", move);
    const end = () => {
      this.edge.removeEventListener("pointermove", move);
      if (width) this.keep(width);
    };
    this.edge.addEventListener("lostpointercapture", end, { once: true });
  }
}

/** A width that the list may have, whole pixels. */
export function clamp(width: number): number {
  return Math.round(Math.max(NARROWEST, Math.min(WIDEST, width)));
}
