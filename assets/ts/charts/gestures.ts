import type { Frame } from "./frame";
import { movedRange, rangeBetween, type Zoom } from "./zoom";

/** Narrower drags are clicks, pixels. */
const SHORTEST_DRAG = 6;
/** Fingers closer to each other than this along an axis move it and do not stretch it, pixels. */
const CLOSEST_FINGERS = 32;
const WHEEL_SPEED = 0.006;
const MOST_WHEEL = 60;
const LINE_HEIGHT = 16;

interface Place {
  left: number;
  top: number;
}

/** What a drag has marked so far, pixels. */
export interface Marked {
  along: "x" | "y";
  from: number;
  to: number;
}

/** A chart that follows a pointer and shows a part of itself. */
export interface Pointable {
  readonly frame: Frame | undefined;
  readonly zoom: Zoom;
  move(left: number, top: number): void;
  leave(): void;
  mark(marked: Marked | null): void;
  zoomTo(zoom: Zoom): void;
}

/**
 * Pointers, wheel and fingers over a chart: a drag chooses a part of x, or of y where it goes up and down or with
 * Shift; Alt or the middle button move the plot, Ctrl and the wheel zoom, two fingers do both.
 */
export class Gestures {
  private readonly fingers = new Map<number, Place>();
  private begin: Place | null = null;
  private pan: { from: Place; frame: Frame } | null = null;
  private pinch: { from: Place[]; frame: Frame } | null = null;

  constructor(
    private readonly canvas: HTMLElement,
    private readonly chart: Pointable,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.cancel(event));
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") chart.leave(); // a tap's values stay until another tap
    });
    canvas.addEventListener("dblclick", () => chart.zoomTo({ x: null, y: null }));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("touchstart", (event) => this.touched(event), { passive: false });
  }

  /** Two fingers are the chart's, one that goes up or down scrolls the page. */
  private touched(event: TouchEvent): void {
    if (event.touches.length > 1) event.preventDefault();
  }

  private down(event: PointerEvent): void {
    const { frame } = this.chart;
    if (!frame) return;
    const place = placeOf(event);
    if (event.pointerType === "touch") {
      this.fingers.set(event.pointerId, place);
      if (this.fingers.size === 1) this.chart.move(place.left, place.top);
      else {
        this.chart.leave();
        this.pinch = { from: [...this.fingers.values()], frame };
      }
      document.addEventListener("pointerdown", this.tapElsewhere, { capture: true });
      return;
    }
    const pans = event.button === 1 || (event.button === 0 && event.altKey);
    if (pans) {
      this.pan = { from: place, frame };
      event.preventDefault(); // the middle button would scroll
    } else if (event.button === 0) this.begin = place;
    this.canvas.setPointerCapture(event.pointerId);
  }

  private moved(event: PointerEvent): void {
    const place = placeOf(event);
    if (event.pointerType === "touch" && !this.fingers.has(event.pointerId)) return;
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, place);
    if (this.pinch) {
      this.stretch();
      return;
    }
    if (this.pan) {
      this.shift(place);
      return;
    }
    const marked = this.markedTo(place, event.shiftKey);
    this.chart.mark(marked);
    this.chart.move(place.left, place.top);
  }

  private up(event: PointerEvent): void {
    const { frame, zoom } = this.chart;
    const marked = this.markedTo(placeOf(event), event.shiftKey);
    this.end(event.pointerId);
    if (!frame || !marked) return;
    const { along, from, to } = marked;
    this.chart.zoomTo({ ...zoom, [along]: rangeBetween(frame[along], from, to) });
  }

  private cancel(event: PointerEvent): void {
    this.end(event.pointerId);
    this.chart.leave();
  }

  private end(pointer: number): void {
    this.fingers.delete(pointer);
    if (this.fingers.size < 2) this.pinch = null;
    this.begin = null;
    this.pan = null;
    this.chart.mark(null);
  }

  private readonly tapElsewhere = (event: Event): void => {
    if (event.target === this.canvas) return;
    document.removeEventListener("pointerdown", this.tapElsewhere, { capture: true });
    this.chart.leave();
  };

  private markedTo(place: Place, isShift: boolean): Marked | null {
    return this.begin && markedBetween(this.begin, place, isShift);
  }

  private shift({ left, top }: Place): void {
    const { from, frame } = this.pan as { from: Place; frame: Frame };
    const { zoom } = this.chart;
    this.chart.zoomTo({
      x: movedRange(frame.x, from.left, left),
      y: zoom.y && movedRange(frame.y, from.top, top),
    });
  }

  private stretch(): void {
    const { from, frame } = this.pinch as { from: Place[]; frame: Frame };
    const [a, b] = from;
    const [c, d] = [...this.fingers.values()];
    if (a && b && c && d) this.chart.zoomTo(zoomByPinch(frame, this.chart.zoom, [a, b], [c, d]));
  }

  private wheel(event: WheelEvent): void {
    const { frame, zoom } = this.chart;
    if (!frame || !(event.ctrlKey || event.altKey)) return;
    event.preventDefault();
    const place = placeOf(event);
    this.chart.zoomTo(zoomByWheel(event, frame, zoom, place));
    if (!event.altKey) this.chart.move(place.left, place.top);
  }
}

/** What a drag has chosen: along y where it goes mostly up or down, or with Shift; null while it is a click. */
export function markedBetween(begin: Place, { left, top }: Place, isShift: boolean): Marked | null {
  const [wide, high] = [Math.abs(left - begin.left), Math.abs(top - begin.top)];
  const along = isShift || high > 2 * wide ? "y" : "x";
  if ((along === "y" ? high : wide) < SHORTEST_DRAG) return null;
  const [from, to] = along === "y" ? [begin.top, top] : [begin.left, left];
  return { along, from, to };
}

type Turn = Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode" | "altKey" | "shiftKey">;

/** The part on show after the wheel has turned: with Alt x has moved, else x, or with Shift y, is zoomed at a place. */
export function zoomByWheel(turn: Turn, frame: Frame, zoom: Zoom, { left, top }: Place): Zoom {
  const turned = (turn.deltaY || turn.deltaX) * (turn.deltaMode ? LINE_HEIGHT : 1);
  if (turn.altKey) return { ...zoom, x: movedRange(frame.x, turned, 0) };
  const factor = Math.exp(Math.max(-MOST_WHEEL, Math.min(MOST_WHEEL, turned)) * WHEEL_SPEED);
  const part = turn.shiftKey
    ? { y: movedRange(frame.y, top, top, factor) }
    : { x: movedRange(frame.x, left, left, factor) };
  return { ...zoom, ...part };
}

/** The part on show after two fingers have moved; y follows only where it is zoomed, or they are above each other. */
export function zoomByPinch(frame: Frame, zoom: Zoom, [a, b]: [Place, Place], [c, d]: [Place, Place]): Zoom {
  const isUpright = Math.abs(a.top - b.top) > 2 * Math.abs(a.left - b.left);
  return {
    x: stretched(frame, "x", [a.left, b.left], [c.left, d.left]),
    y: zoom.y || isUpright ? stretched(frame, "y", [a.top, b.top], [c.top, d.top]) : null,
  };
}

type Two = [number, number];

function stretched(frame: Frame, along: "x" | "y", before: Two, now: Two): readonly [number, number] {
  const [was, is] = [before[1] - before[0], now[1] - now[0]];
  const isWide = Math.abs(was) > CLOSEST_FINGERS && Math.abs(is) > CLOSEST_FINGERS / 2;
  return movedRange(frame[along], middle(before), middle(now), isWide ? Math.abs(was / is) : 1);
}

function middle([one, other]: Two): number {
  return (one + other) / 2;
}

function placeOf({ offsetX: left, offsetY: top }: MouseEvent): Place {
  return { left, top };
}
