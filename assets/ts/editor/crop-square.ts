/** What of a picture is kept: a square, in its pixels. */
export interface Square {
  left: number;
  top: number;
  side: number;
}

interface Size {
  width: number;
  height: number;
}

/** The middle of what is kept, in parts of the picture. */
export interface Middle {
  x: number;
  y: number;
}

/** The square around a point, which never leaves the picture; `zoom` 1 is the largest one. */
export function squareAround({ x, y }: Middle, zoom: number, { width, height }: Size): Square {
  const side = Math.min(width, height) / zoom;
  return {
    left: Math.min(Math.max(x * width - side / 2, 0), width - side),
    top: Math.min(Math.max(y * height - side / 2, 0), height - side),
    side,
  };
}

/** The middle after a square was moved by parts of itself. */
export function movedBy({ left, top, side }: Square, right: number, down: number, size: Size): Middle {
  return {
    x: (left + side * (0.5 + right)) / size.width,
    y: (top + side * (0.5 + down)) / size.height,
  };
}
