import { readJson } from "../lib/json";
import type { FromViewer, ShownFile, Theme, ToViewer } from "./messages";

/** Draws a file into an empty box that fills the frame. Rejects with a sentence when it cannot. */
export type Draw = (box: HTMLElement, file: ShownFile, theme: Theme) => void | Promise<void>;

function tell(message: FromViewer): void {
  parent.postMessage(message, "*"); // the frame has no origin, so it cannot name its page's
}

/** The frame's side: draw the file that the page sends, and again when its theme changes. */
export function serve(draw: Draw): void {
  const box = document.getElementById("figure") as HTMLElement;
  let file: ShownFile | undefined;
  const show = async (theme: Theme): Promise<void> => {
    document.documentElement.style.colorScheme = theme.scheme;
    if (!file) return;
    box.replaceChildren();
    try {
      await draw(box, file, theme);
      tell({ type: "drawn" });
    } catch (error) {
      tell({ type: "failed", text: error instanceof Error ? error.message : String(error) });
    }
  };
  addEventListener("message", ({ source, data }: MessageEvent<ToViewer>) => {
    if (source !== parent) return;
    if (data.type === "show") file = data.file;
    void show(data.theme);
  });
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") tell({ type: "escape" });
  });
  tell({ type: "ready" });
}

export function textOf({ content }: ShownFile): string {
  return new TextDecoder().decode(content);
}

/** The file's JSON, in which Python may have written NaN and infinities. Throws a SyntaxError. */
export function jsonOf<T>(file: ShownFile): T {
  return readJson(textOf(file)) as T;
}
