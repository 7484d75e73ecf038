import type { Picture } from "../charts/picture";
import type { ValuesReply } from "../charts/wire";
import { word } from "../lib/words";
import { failure, note, skeleton } from "./notes";
import type { Head, Panel, Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";

/** A panel on config and summary: it reads the columns it needs and shows them. */
export abstract class ValuesPanel implements Panel {
  private isGone = false;

  constructor(
    protected readonly body: HTMLElement,
    protected readonly spec: PanelSpec,
    protected readonly stage: Stage,
    protected readonly head: Head,
  ) {
    skeleton(body);
  }

  refresh(): void {
    void this.read();
  }

  destroy(): void {
    this.isGone = true;
    this.body.replaceChildren();
  }

  picture?(): Picture | null;
  csv?(): Promise<string>;

  /** The columns needed; all of them when empty. */
  protected abstract columns(): string[];

  protected abstract show(runs: RunInfo[], values: ValuesReply["runs"]): void | Promise<void>;

  private async read(): Promise<void> {
    const runs = this.stage.runs.drawn();
    if (!runs.length) {
      note(this.body, word("noRunsDrawn"));
      return;
    }
    try {
      const values = await this.stage.values(this.columns());
      if (!this.isGone) await this.show(runs, values);
    } catch {
      if (!this.isGone) failure(this.body, () => this.refresh());
    }
  }
}

/** Give `body` one canvas of its size, emptied; in CSS pixels. */
export function canvasIn(body: HTMLElement): CanvasRenderingContext2D | null {
  let canvas = body.querySelector("canvas");
  if (!canvas) {
    canvas = document.createElement("canvas");
    body.replaceChildren(canvas);
  }
  const ratio = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = body;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}
