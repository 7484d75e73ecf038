import { palette } from "./palette";
import { type Surface, SvgSurface } from "./surface";

/** A plot of a size in pixels that paints itself `top` pixels down. */
export interface Picture {
  width: number;
  height: number;
  paint(surface: Surface, top: number): void;
}

const HEAD = 30;
/** Dots of a PNG for each pixel. */
const FINENESS = 3;

/** Write a plot with its title as SVG. */
export function toSvg(picture: Picture, title: string): string {
  const surface = new SvgSurface(picture.width, picture.height + HEAD);
  paint(surface, picture, title);
  return surface.text();
}

/** Write a plot with its title as PNG. */
export async function toPng(picture: Picture, title: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * FINENESS;
  canvas.height = (picture.height + HEAD) * FINENESS;
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("no canvas");
  ctx.scale(FINENESS, FINENESS);
  paint(ctx, picture, title);
  return new Promise((done, refuse) => {
    canvas.toBlob((blob) => (blob ? done(blob) : refuse(new Error("no picture"))), "image/png");
  });
}

function paint(surface: Surface, picture: Picture, title: string): void {
  const colors = palette();
  surface.fillStyle = colors.surface;
  surface.beginPath();
  surface.rect(0, 0, picture.width, picture.height + HEAD);
  surface.fill();
  surface.fillStyle = colors.text;
  surface.font = '600 13px "Inter Variable", system-ui, sans-serif';
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  surface.fillText(title, 12, 16);
  picture.paint(surface, HEAD);
}
