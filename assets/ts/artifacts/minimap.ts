import type { Place } from "./lineage-graph";
import { CARD, type Layout } from "./lineage-layout";
import type { DrawnNode } from "./lineage-stacks";
import type { View } from "./pan-zoom";

/** A small picture of the whole graph, with a frame around what the window shows; hidden while that is all. */
export class Minimap {
  private readonly canvas: HTMLCanvasElement;
  private nodes: DrawnNode[] = [];
  private layout: Layout | undefined;
  private scale = 1;

  constructor(canvas: HTMLCanvasElement, go: (place: Place) => void) {
    this.canvas = canvas;
    const follow = (event: PointerEvent) => {
      const { left, top } = canvas.getBoundingClientRect();
      go({ x: (event.clientX - left) / this.scale, y: (event.clientY - top) / this.scale });
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      follow(event);
    });
    canvas.addEventListener(
      "pointermove",
      (event) => canvas.hasPointerCapture(event.pointerId) && follow(event),
    );
  }

  set(nodes: DrawnNode[], layout: Layout): void {
    this.nodes = nodes;
    this.layout = layout;
    this.scale = Math.min(168 / Math.max(layout.width, 1), 112 / Math.max(layout.height, 1));
  }

  /** Draw what a window of `width` and `height` pixels shows under `view`. */
  show(view: View, width: number, height: number): void {
    const { layout, canvas, scale } = this;
    const pen = canvas.getContext("2d");
    if (!layout || !pen) return;
    const left = -view.x / view.scale;
    const top = -view.y / view.scale;
    const [across, down] = [width / view.scale, height / view.scale];
    canvas.hidden = left <= 0 && top <= 0 && left + across >= layout.width && top + down >= layout.height;
    if (canvas.hidden) return;
    const [w, h] = [Math.max(layout.width * scale, 12), Math.max(layout.height * scale, 12)];
    const density = window.devicePixelRatio || 1;
    canvas.width = w * density;
    canvas.height = h * density;
    canvas.style.width = `${w}px`;
    canvas.style.height = `${h}px`;
    pen.scale(density, density);
    const style = getComputedStyle(canvas);
    for (const { id, is_focus } of this.nodes) {
      const place = layout.places.get(id);
      if (!place) continue;
      pen.fillStyle = style.getPropertyValue(is_focus ? "--accent" : "--border-strong");
      const [x, y] = [(place.x - CARD.width / 2) * scale, (place.y - CARD.height / 2) * scale];
      pen.fillRect(x, y, Math.max(CARD.width * scale, 2), Math.max(CARD.height * scale - 0.5, 1));
    }
    pen.strokeStyle = style.getPropertyValue("--accent-text");
    pen.lineWidth = 1.5;
    const [x, y] = [Math.max(left * scale, 0) + 0.75, Math.max(top * scale, 0) + 0.75];
    const [right, bottom] = [
      Math.min((left + across) * scale, w) - 0.75,
      Math.min((top + down) * scale, h) - 0.75,
    ];
    pen.strokeRect(x, y, Math.max(right - x, 2), Math.max(bottom - y, 2));
  }
}
