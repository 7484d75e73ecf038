import { palette } from "../../charts/palette";
import { hideTip, showPairs } from "../../charts/tip";
import { sandboxed } from "../../lib/frames";
import type { Drawing, FromFrame, ToFrame } from "./messages";
import { vegaConfig } from "./theme";

export interface FrameActions {
  drawn(): void;
  failed(text: string): void;
}

type Asked = Pick<Drawing, "spec" | "rows" | "titles" | "label">;

/** The sandboxed frame in which one specification is drawn: no origin, no network, words only come out of it. */
export class VegaFrame {
  readonly element: HTMLIFrameElement;
  private isReady = false;
  private asked: Asked | undefined;
  private waiting: ((file: Blob | null) => void) | undefined;
  private readonly hear = (event: MessageEvent<FromFrame>) => {
    if (event.source === this.element.contentWindow) this.take(event.data);
  };

  constructor(
    url: string,
    title: string,
    private readonly actions: FrameActions,
  ) {
    this.element = sandboxed("vega-frame is-waiting", title, url);
    addEventListener("message", this.hear);
  }

  draw(asked: Asked): void {
    this.asked = asked;
    if (!this.isReady) return;
    const scheme = document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light";
    this.element.style.colorScheme = scheme; // one that differs from the page's would be drawn on white
    const background = palette().surface;
    this.send({ type: "draw", ...asked, config: vegaConfig(), scheme, background });
  }

  /** The chart as a file. Rejects when there is none. */
  async picture(format: "png" | "svg"): Promise<Blob> {
    const file = await new Promise<Blob | null>((done) => {
      this.waiting = done;
      this.send({ type: "picture", format });
    });
    if (!(file instanceof Blob)) throw new Error("no picture");
    return file;
  }

  destroy(): void {
    removeEventListener("message", this.hear);
    hideTip();
    this.waiting?.(null);
    this.element.remove();
  }

  private send(message: ToFrame): void {
    this.element.contentWindow?.postMessage(message, "*"); // it has no origin to name
  }

  private take(message: FromFrame): void {
    if (message.type === "ready") {
      this.isReady = true;
      if (this.asked) this.draw(this.asked);
    } else if (message.type === "drawn") {
      this.element.classList.remove("is-waiting");
      this.actions.drawn();
    } else if (message.type === "failed") this.actions.failed(String(message.text).slice(0, 500));
    else if (message.type === "picture") {
      this.waiting?.(message.file);
      this.waiting = undefined;
    } else if (message.type === "escape") {
      this.element.closest("dialog")?.requestClose?.();
    } else if (message.type === "tip") this.tip(message.rows, message.left, message.top);
  }

  private tip(rows: [string, string][] | null, left: number, top: number): void {
    if (!Array.isArray(rows)) {
      hideTip();
      return;
    }
    const at = this.element.getBoundingClientRect();
    const shown = rows.map(([name, value]): [string, string] => [String(name), String(value).slice(0, 200)]);
    showPairs(shown, at.left + Number(left), at.top + Number(top));
  }
}
