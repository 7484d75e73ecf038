import type { Feed, Source } from "../charts/feed";
import type { Color } from "../charts/palette";
import type { Picture } from "../charts/picture";
import type { KeyAbout, KeyInfo, Kind, ValuesReply } from "../charts/wire";
import type { Layout } from "./layout";
import type { Offered } from "./offered";
import type { RunTable } from "./run-table";
import type { RunGroup, Runs } from "./runs";
import type { PanelKind, PanelSpec } from "./spec";

/** What a panel may use of the page that it is on. */
export interface Stage {
  readonly feed: Feed;
  readonly runs: Runs;
  readonly layout: Layout;
  /** Whether the page shows one run: its lines are then told apart by key. */
  readonly isRunPage: boolean;
  /** Addresses of the project's data, of files of runs, of a run's page, of stored charts; and the entity's name. */
  readonly urls: Record<
    | "series"
    | "values"
    | "histograms"
    | "tables"
    | "code"
    | "columns"
    | "importance"
    | "markdown"
    | "keys"
    | "groups"
    | "media"
    | "run"
    | "charts"
    | "frame"
    | "viewers"
    | "entity",
    string
  >;
  /** Config and summary of the runs drawn; only these columns, or all. */
  values(columns: string[]): Promise<ValuesReply["runs"]>;
  /** These columns of all runs that the page lists, whether or not their lines are drawn. */
  table(columns: string[]): Promise<RunTable>;
  /** The columns that runs of the project have. */
  offered(): Promise<Offered>;
  /** The groups that these columns make of the runs drawn, by the run's id. */
  groups(columns: readonly string[]): Promise<ReadonlyMap<string, RunGroup>>;
  /** All keys that runs drawn have logged numbers under. */
  keysOf(kind: Kind): string[];
  /** What a system metric is; undefined for other keys. */
  about(key: string): KeyAbout | undefined;
  /** What the runs drawn have logged under a key of history, and how their scripts defined it. */
  metric(key: string): KeyInfo | undefined;
  /** All keys under which runs drawn have logged what this kind of panel shows: tables, histograms, media. */
  keysFor(kind: PanelKind): string[];
  /** Tell the other panels where the cursor is; x is a place on this axis. */
  point(from: Panel, axis: string, x: number | null): void;
}

/** A line of a panel: what it is called, and where its style is kept. */
export interface NamedLine {
  id: string;
  key: string;
  label: string;
  color: Color;
  dash: number;
}

/** The header of the card that a panel is in. */
export interface Head {
  /** Shown at the end of the header. */
  say(text: string): void;
  /** Keep what somebody set up in the panel itself, without drawing it anew. */
  keep(part: Partial<PanelSpec>): void;
  /** Beside a chart over the whole window: where its lines may be listed. */
  readonly legend?: HTMLElement;
  /** Show the panel over the whole window; missing where it is. */
  enlarge?(): void;
  /** Hear which lines the panel shows, each time it draws them. */
  drew?(lines: readonly NamedLine[]): void;
  /** What failed while the panel drew by itself; failures of a drawing that was asked for go to the caller. */
  failed?(error: unknown): void;
  /** Offer to show the whole of it again. */
  zoomed(reset: (() => void) | null): void;
}

/** One of the ways in which a panel can be drawn. */
export interface Choice {
  icon: string;
  text: string;
  part: Partial<PanelSpec>;
}

export interface Panel {
  /** Runs, view or size have changed; also called first. */
  refresh(): void;
  /** Rows have come that may concern it; where it is missing, `refresh` is called. */
  grew?(): void;
  /** Lines of these keys have come or have grown. */
  took?(source: Source, keys: Set<string>): void;
  /** Lines of these keys could not be read. */
  failed?(source: Source, keys: Set<string>): void;
  /** Another panel's cursor is at x of this axis. */
  pointed?(axis: string, x: number | null): void;
  /** Let go of everything drawn. */
  destroy(): void;
  /** What it shows, for a file; null while there is nothing. */
  picture?(): Picture | null;
  /** The same from a panel that makes its files itself. */
  file?(format: "png" | "svg"): Promise<Blob>;
  /** Other ways to draw it, for its menu. */
  choices?(): Choice[];
  /** Where the data behind it is to be had as CSV, where the server writes it. */
  csvAddress?(): string;
  /** The data behind it, as CSV. */
  csv?(): Promise<string>;
  /** The table that it shows, its head first, to be copied. */
  texts?(): string[][];
}

export type MakePanel = (body: HTMLElement, spec: PanelSpec, stage: Stage, head: Head) => Panel;
