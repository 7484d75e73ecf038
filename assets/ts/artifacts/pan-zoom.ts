/** How a plane is shown: moved by `x` and `y` pixels after it was scaled by `scale`. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

interface Size {
  width: number;
  height: number;
}

const LEAST_SCALE = 0.08;
const MOST_SCALE = 2;
/** Pixels that a pointer moves before it drags, so that a click with an unsteady hand stays one. */
const DRAG_FROM = 4;
/** Pixels left free around what is fitted. */
const MARGIN = 32;
const KEY_FACTOR = 1.25;

/** The view that shows all of a plane in the middle of a window, never larger than life. */
export function fitted(plane: Size, window: Size): View {
  const across = (window.width - 2 * MARGIN) / Math.max(plane.width, 1);
  const down = (window.height - 2 * MARGIN) / Math.max(plane.height, 1);
  const scale = clampScale(Math.min(1, across, down));
  return {
    scale,
    x: (window.width - plane.width * scale) / 2,
    y: (window.height - plane.height * scale) / 2,
  };
}

/** The view with a point in the middle, but with no more emptiness beside the plane than must be. */
export function around(point: { x: number; y: number }, scale: number, plane: Size, window: Size): View {
  return {
    scale,
    x: offset(point.x * scale, plane.width * scale, window.width),
    y: offset(point.y * scale, plane.height * scale, window.height),
  };
}

function offset(at: number, length: number, free: number): number {
  if (length + 2 * MARGIN <= free) return (free - length) / 2;
  return Math.min(MARGIN, Math.max(free - MARGIN - length, free / 2 - at));
}

/** Scale by `factor` so that the point (`x`, `y`) of the window stays where it is. */
export function scaledAt(view: View, factor: number, x: number, y: number): View {
  const scale = clampScale(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio };
}

function clampScale(scale: number): number {
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));
}

/** How far to move what reaches `half` to both sides of `at`, so that it lies within 0 and `free`. */
function shift(at: number, half: number, free: number): number {
  if (at - half < MARGIN) return MARGIN - (at - half);
  return Math.min(0, free - MARGIN - (at + half));
}

/** The view that differs as little as shows the part of the plane of a size around a point. */
export function revealing(view: View, at: { x: number; y: number }, size: Size, window: Size): View {
  const dx = shift(at.x * view.scale + view.x, (size.width / 2) * view.scale, window.width);
  const dy = shift(at.y * view.scale + view.y, (size.height / 2) * view.scale, window.height);
  return { ...view, x: view.x + dx, y: view.y + dy };
}

/** By how much a wheel scales; `isPinch` for the finer steps of two fingers on a pad. */
export function wheelFactor(pixels: number, isPinch: boolean): number {
  return Math.exp(-Math.max(-80, Math.min(80, pixels)) / (isPinch ? 100 : 400));
}

/** Moves and scales `plane` within `window` by pointer, wheel, fingers and the keys +, - and 0. */
export class PanZoom {
  view: View = { x: 0, y: 0, scale: 1 };
  private readonly window: HTMLElement;
  private readonly plane: HTMLElement;
  private readonly changed: (view: View) => void;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private dragged = 0;
  private size: Size = { width: 0, height: 0 };

  constructor(window: HTMLElement, plane: HTMLElement, changed: (view: View) => void) {
    this.window = window;
    this.plane = plane;
    this.changed = changed;
    window.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    window.addEventListener("pointerdown", (event) => this.pressed(event));
    window.addEventListener("pointermove", (event) => this.moved(event));
    for (const type of ["pointerup", "pointercancel"] as const) {
      window.addEventListener(type, ({ pointerId }) => {
        this.pointers.delete(pointerId);
        if (!this.pointers.size) delete window.dataset.dragging;
      });
    }
    window.addEventListener("click", (event) => this.dragged > DRAG_FROM && event.preventDefault(), true);
    window.addEventListener("dragstart", (event) => event.preventDefault());
    window.addEventListener("keydown", (event) => this.typed(event));
    window.addEventListener("scroll", () => window.scrollTo(0, 0)); // a focused link would scroll beside our own moves
  }

  /** Say how large the plane is. */
  measure(size: Size): void {
    this.size = size;
  }

  show(view: View): void {
    this.view = view;
    this.plane.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    this.changed(view);
  }

  fit(): void {
    this.show(fitted(this.size, this.box));
  }

  /** The view that `fit` would show. */
  get fittedView(): View {
    return fitted(this.size, this.box);
  }

  /** Show the surroundings of a point of the plane. */
  showAround(point: { x: number; y: number }, scale: number): void {
    this.show(around(point, scale, this.size, this.box));
  }

  /** Scale around the middle of the window. */
  zoom(factor: number): void {
    this.show(scaledAt(this.view, factor, this.box.width / 2, this.box.height / 2));
  }

  /** Bring a point of the plane to the middle. */
  center({ x, y }: { x: number; y: number }): void {
    const { width, height } = this.box;
    const { scale } = this.view;
    this.show({ scale, x: width / 2 - x * scale, y: height / 2 - y * scale });
  }

  /** Move as little as shows the part of the plane around a point. */
  reveal({ x, y }: { x: number; y: number }, { width, height }: Size): void {
    const { view, box } = this;
    const revealed = revealing(view, { x, y }, { width, height }, box);
    if (revealed.x !== view.x || revealed.y !== view.y) this.show(revealed);
  }

  private get box(): Size {
    return { width: this.window.clientWidth, height: this.window.clientHeight };
  }

  /** A wheel scales, but where the page itself can be scrolled it does so only with Ctrl, as a pinch on a pad says. */
  private wheeled(event: WheelEvent): void {
    const { scrollHeight, clientHeight } = document.documentElement;
    if (scrollHeight > clientHeight + MARGIN && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = this.window.getBoundingClientRect();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
    this.show(
      scaledAt(this.view, wheelFactor(pixels, event.ctrlKey), event.clientX - left, event.clientY - top),
    );
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0 || (event.target as Element).closest("[data-no-pan]")) return;
    this.dragged = 0;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  private moved(event: PointerEvent): void {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const now = { x: event.clientX, y: event.clientY };
    this.dragged += Math.hypot(now.x - last.x, now.y - last.y);
    this.pointers.set(event.pointerId, now);
    if (this.dragged <= DRAG_FROM) return;
    if (!this.window.hasPointerCapture(event.pointerId)) this.window.setPointerCapture(event.pointerId);
    this.window.dataset.dragging = "";
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) this.pinched(last, now, other);
    else this.show({ ...this.view, x: this.view.x + now.x - last.x, y: this.view.y + now.y - last.y });
  }

  private pinched(
    last: { x: number; y: number },
    now: { x: number; y: number },
    other: { x: number; y: number },
  ): void {
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(now.x - other.x, now.y - other.y);
    const { left, top } = this.window.getBoundingClientRect();
    if (before) this.show(scaledAt(this.view, after / before, other.x - left, other.y - top));
  }

  private typed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") this.zoom(KEY_FACTOR);
    else if (event.key === "-") this.zoom(1 / KEY_FACTOR);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }
}
