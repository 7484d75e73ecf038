import type { Smoothing, SmoothingKind } from "../charts/smooth";
import type { SectionSettings } from "./spec";

/** What the fields of a section's form say; undefined, or null for a number, is as the workspace. */
export interface Chosen {
  x: string | undefined;
  columns: string | undefined;
  kind: SmoothingKind | undefined;
  amount: number | null;
  logX: boolean | undefined;
  logY: boolean | undefined;
  yMin: number | null;
  yMax: number | null;
  height: number | null;
}

/** Only what somebody chose: all else is as the workspace says. */
export function settingsOf({ columns, kind, amount, ...chosen }: Chosen): SectionSettings {
  const smoothing: Smoothing | undefined = kind && { kind, amount: amount ?? 0 };
  const given = { ...chosen, smoothing, columns: columns && Number(columns) };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
}
