/** Draws of all charts of the page share each frame; what does not fit into it waits for the next, milliseconds. */
const BUDGET_MS = 10;
/** What a frame takes at most: canvases are painted after the script, in time that it cannot see. */
const MOST_A_FRAME = 3;

interface Job {
  box: HTMLElement;
  draw: () => void;
}

const waiting = new Map<object, Job>();
let isPlanned = false;

/** Call `draw` in one of the next frames: what is in the window comes first. Another call for `owner` replaces it. */
export function drawSoon(owner: object, box: HTMLElement, draw: () => void): void {
  waiting.set(owner, { box, draw });
  plan();
}

/** Leave out what `owner` wanted to draw. */
export function drawNever(owner: object): void {
  waiting.delete(owner);
}

function plan(): void {
  if (!isPlanned) requestAnimationFrame(drawWaiting);
  isPlanned = true;
}

function drawWaiting(): void {
  isPlanned = false;
  const until = performance.now() + BUDGET_MS;
  for (const owner of inOrder().slice(0, MOST_A_FRAME)) {
    const job = waiting.get(owner);
    waiting.delete(owner);
    try {
      job?.draw();
    } catch (error) {
      reportError(error); // the others are drawn
    }
    if (performance.now() > until) break;
  }
  if (waiting.size) plan();
}

function inOrder(): object[] {
  if (waiting.size < 2) return [...waiting.keys()];
  const places = [...waiting].map(([owner, { box }]) => [owner, box.getBoundingClientRect()] as const);
  return nearestFirst(places, innerHeight);
}

type Extent = Pick<DOMRect, "top" | "bottom">;

/** Owners of boxes, those that lie least outside of a window of this height first; equal ones as they came. */
export function nearestFirst<T>(places: readonly (readonly [T, Extent])[], height: number): T[] {
  const away = ({ top, bottom }: Extent) => Math.max(0, -bottom, top - height);
  return [...places].sort(([, a], [, b]) => away(a) - away(b)).map(([owner]) => owner);
}
