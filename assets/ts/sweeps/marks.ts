import type { Surface } from "../charts/surface";

/** How the runs of a state are marked: states are told apart by shape as well as by colour. */
const SHAPES: Record<string, (ctx: Surface, x: number, y: number, r: number) => void> = {
  finished: disc,
  running: ring,
  preempting: ring,
  failed: cross,
  crashed: triangle,
  killed: square,
};

/** Where a mark is, and how far it reaches, pixels. */
interface Place {
  x: number;
  y: number;
  r: number;
}

/** Paint the mark of a run in `state`. */
export function paintMark(ctx: Surface, state: string, color: string, { x, y, r }: Place): void {
  ctx.fillStyle = color;
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.75;
  ctx.beginPath();
  (SHAPES[state] ?? ring)(ctx, x, y, r);
}

/** The colour of a state in the theme on show. */
export function stateColor(state: string): string {
  const style = getComputedStyle(document.documentElement);
  return (
    style.getPropertyValue(`--state-${state}`).trim() || style.getPropertyValue("--state-pending").trim()
  );
}

function disc(ctx: Surface, x: number, y: number, r: number): void {
  ctx.moveTo(x + r, y);
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fill();
}

function ring(ctx: Surface, x: number, y: number, r: number): void {
  ctx.moveTo(x + r, y);
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.stroke();
}

function cross(ctx: Surface, x: number, y: number, r: number): void {
  ctx.moveTo(x - r, y - r);
  ctx.lineTo(x + r, y + r);
  ctx.moveTo(x - r, y + r);
  ctx.lineTo(x + r, y - r);
  ctx.stroke();
}

function triangle(ctx: Surface, x: number, y: number, r: number): void {
  ctx.moveTo(x, y - r);
  ctx.lineTo(x + r, y + r);
  ctx.lineTo(x - r, y + r);
  ctx.lineTo(x, y - r);
  ctx.fill();
}

function square(ctx: Surface, x: number, y: number, r: number): void {
  ctx.rect(x - r, y - r, 2 * r, 2 * r);
  ctx.fill();
}
