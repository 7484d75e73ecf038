import { viewerNameOf } from "./kinds";

/** A picture, a sound or any other file in a cell; without `url` it is named only. */
export interface CellMedia {
  kind: string;
  url: string;
  caption: string;
  path: string;
  /** As which browsers show or play it; "" for what they only download. */
  type: string;
  /** Bytes. */
  size: number;
}

/** What is opened over the window, of a cell's value. */
export function enlargedIn(value: unknown): CellMedia[] {
  return Array.isArray(value) ? (value as CellMedia[]).filter((one) => one.url && isEnlarged(one)) : [];
}

export function isEnlarged({ kind, type }: Pick<CellMedia, "kind" | "type">): boolean {
  return type.startsWith("image/") || viewerNameOf(kind) !== undefined;
}

/** A cell's value as text, for hovering and copying. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return (value as CellMedia[]).map((one) => one.caption || one.path).join(", ");
  return typeof value === "string" ? value : String(value);
}
