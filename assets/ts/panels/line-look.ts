import type { DrawnLine, Look } from "../charts/frame";
import type { Axis } from "../charts/scale";
import { type Smoothing, smoothed } from "../charts/smooth";
import type { Zoom } from "../charts/zoom";
import type { Member } from "./groups";
import type { NamedLine } from "./panel";
import type { RunGroup } from "./runs";
import type { PanelSpec, View } from "./spec";

/** What is drawn of lines: smoothed, with the line before that, and with their bands, which those of groups always have. */
export function drawnOf(
  members: readonly (Member & { counts?: Uint16Array })[],
  view: View,
  groupOf: ReadonlyMap<string, RunGroup> | null,
): (DrawnLine & NamedLine)[] {
  const isShaded = view.band || groupOf !== null;
  const isSmooth = isSmoothed(view.smoothing);
  return members.map(({ id, key, uid, label, color, dash, x, y, low, high, smooth, counts }) => ({
    ...{ id, key, label, color, dash, x },
    owner: groupOf?.get(uid)?.path ?? uid,
    y: isSmooth ? (smooth ?? smoothed(x, y, view.smoothing)) : y,
    raw: isSmooth && view.original ? y : null,
    low: isShaded ? low : null,
    high: isShaded ? high : null,
    ...(groupOf && counts ? { group: { counts, band: view.groupBand } } : {}),
  }));
}

/** What a panel's axes are called, and where they end: the part on show comes before what the panel says. */
export function lookOf(
  spec: PanelSpec,
  view: View,
  zoom: Zoom,
  { unit, scale, name }: { unit: string; scale: Axis; name: string },
): Look {
  const [yMin, yMax] = zoom.y ?? [spec.yMin ?? null, spec.yMax ?? null];
  const clamped = unit === "%" && !view.logY && yMin === null && yMax === null;
  return {
    unit,
    clamped,
    axis: scale,
    xName: spec.xTitle ?? name,
    yName: spec.yTitle ?? "",
    logX: view.logX,
    logY: view.logY,
    xMin: zoom.x?.[0] ?? spec.xMin ?? null,
    xMax: zoom.x?.[1] ?? spec.xMax ?? null,
    yMin: clamped ? 0 : yMin,
    yMax: clamped ? 100 : yMax,
    withoutOutliers: view.withoutOutliers && !zoom.y,
  };
}

/** How the server smooths lines over all their points: each by itself, and counters only once they are rates. */
export function smoothingOf(spec: PanelSpec, { smoothing, groupBy }: View): Smoothing | null {
  const isLogged = spec.source === "history" && !spec.yExpression && !spec.xExpression;
  return isSmoothed(smoothing) && !groupBy.length && isLogged ? smoothing : null;
}

function isSmoothed({ kind, amount }: Smoothing): boolean {
  return kind !== "none" && amount > 0;
}
