import { make } from "./dom";

/** A frame whose page has no origin: scripts in it reach nothing of ours, whatever they are. */
export function sandboxed(className: string, title: string, url: string): HTMLIFrameElement {
  const frame = make("iframe", className);
  frame.setAttribute("sandbox", "allow-scripts");
  frame.referrerPolicy = "no-referrer";
  frame.title = title;
  frame.src = url;
  return frame;
}
