import type { DrawnLine } from "../charts/frame";
import { DASHES, dashOf } from "../charts/palette";
import { entryOf } from "../lib/record";
import type { LineStyle, PanelSpec } from "./spec";

/** Give lines the titles, colors and strokes that somebody chose for a key, or for one line (by its id). */
export function styled<T extends DrawnLine & { key: string }>(lines: readonly T[], spec: PanelSpec): T[] {
  const styles = spec.lineStyles;
  if (!styles) return [...lines];
  return lines.map((line) => {
    const style: LineStyle = { ...entryOf(styles, line.key), ...entryOf(styles, line.id) };
    const { title, color, dash, width } = style;
    return {
      ...line,
      label: title || line.label,
      color: color ?? line.color,
      dash:
        dash === undefined ? line.dash : (dash - dashOf(color ?? line.color) + DASHES.length) % DASHES.length,
      ...(width ? { width } : {}),
    };
  });
}
