import { LinePanel } from "./line";
import type { MakePanel } from "./panel";
import type { PanelKind } from "./spec";

/** Line charts come with the page, every other kind when the first panel of it comes into view. */
const LOADERS: Partial<Record<PanelKind, () => Promise<MakePanel>>> = {};

export function makerOf(kind: PanelKind): MakePanel | Promise<MakePanel> {
  if (kind === "line") return (body, spec, stage, head) => new LinePanel(body, spec, stage, head);
  return LOADERS[kind]?.() ?? new Promise(() => undefined);
}
