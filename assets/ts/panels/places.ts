import type { KeyInfo, Kind } from "../charts/wire";
import { word } from "../lib/words";
import { CLOSED_RANK } from "./layout";

/** Where a key's chart goes and what it is called. */
export interface Place {
  section: string;
  title: string;
  /** Sections with a lower rank come first; equal ranks go by name. */
  rank: number;
  /** Within the section; equal ones go by title. */
  order?: number;
  /** What the chart shows, in a sentence. */
  text?: string;
}

/** Find the section of a key: history by what stands before the first slash, system by what the server knows of it. */
export function placeOf(
  kind: Kind,
  { key, about }: Pick<KeyInfo, "key" | "about">,
  isRunPage: boolean,
): Place {
  if (kind === "history" || !about) return historyPlace(key);
  const { title, section, rank, order, text } = about;
  if (isRunPage) return { section, title, rank, order, text };
  return { section: `${word("sectionSystem")} · ${section}`, title, rank: rank + CLOSED_RANK, order, text };
}

function historyPlace(key: string): Place {
  const slash = key.indexOf("/");
  if (slash <= 0) return { section: word("sectionCharts"), title: key, rank: 0 };
  return { section: key.slice(0, slash), title: key, rank: 1 };
}
