import type { Color } from "../charts/palette";
import type { Smoothing } from "../charts/smooth";
import type { Kind } from "../charts/wire";
import type { Condition } from "../media/table-filters";
import type { Devices } from "./devices";
import { soundState } from "./sound";

/** The choice of x by which each metric has its own: what `define_metric` said, else the step. */
export const OWN_AXIS = "";

export type PanelKind =
  | "line"
  | "scatter"
  | "bar"
  | "parallel"
  | "importance"
  | "table"
  | "media"
  | "histogram"
  | "compare"
  | "custom"
  | "markdown"
  | "scalar"
  | "code";

/** How one line of a panel is drawn, apart from what is found by itself. */
export interface LineStyle {
  title?: string;
  color?: Color;
  dash?: number;
  /** Pixels. */
  width?: number;
}

/** Which of the values of the runs drawn a scalar panel shows large. */
export const AGGREGATES = ["last", "mean", "min", "max"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** What a group's line shows of its runs at each place. */
export const GROUP_LINES = ["mean", "median", "min", "max"] as const;
export type GroupLine = (typeof GROUP_LINES)[number];

/** What is shaded around a group's line: from the least to the greatest, or a deviation to both sides. */
export const GROUP_BANDS = ["range", "std", "stderr", "none"] as const;
export type GroupBand = (typeof GROUP_BANDS)[number];

/** How line charts are drawn; a panel may say otherwise for itself. */
export interface View {
  /** `_step`, `_runtime`, `_timestamp`, a logged key, or `OWN_AXIS`. */
  x: string;
  logX: boolean;
  logY: boolean;
  smoothing: Smoothing;
  /** Show the line before smoothing, faint. */
  original: boolean;
  /** Shade smallest to largest where points are grouped. */
  band: boolean;
  withoutOutliers: boolean;
  /** Columns such as `group` and `config.lr`, whose equal values make one line; none draws each run. */
  groupBy: string[];
  groupLine: GroupLine;
  groupBand: GroupBand;
  /** Of system metrics. */
  devices: Devices;
  /** Draw counters as they are, not what they grow by in a second. */
  totals: boolean;
  /** All panels on one axis show the same part of it. */
  syncZoom: boolean;
}

/** One panel: what a key brought about, or somebody added; only what differs from that is kept. */
export interface PanelSpec extends Partial<View> {
  id: string;
  kind: PanelKind;
  source: Kind;
  section: string;
  /** Sections with a lower rank come first; equal ranks go by name. */
  rank: number;
  /** Within the section; equal ones go by title. */
  order?: number;
  /** A small heading within the section. */
  group?: string;
  title: string;
  /** What it shows, in a sentence. */
  text?: string;
  keys: string[];
  /** A regular expression of keys: those that match are drawn, whatever `keys` says. */
  keysPattern?: string;
  /** A word for why the keys of the pattern are not known; found anew each time, and never kept. */
  problem?: string;
  /** Formulas such as `${loss} / 2`, see expression.ts. */
  yExpression?: string;
  xExpression?: string;
  /** By the key of lines, or by the id of one. */
  lineStyles?: Record<string, LineStyle>;
  /** Columns on config and summary, such as `summary.loss`. */
  columns?: string[];
  /** Where the axes begin and end while nobody zooms; found from the lines otherwise. */
  xMin?: number | null;
  xMax?: number | null;
  yMin?: number | null;
  yMax?: number | null;
  /** Written at the axes; x has its name otherwise, y nothing. */
  xTitle?: string;
  yTitle?: string;
  /** Columns of the grid that it takes, from 1. */
  span?: number;
  /** Pixels. */
  height?: number;
  /** What a panel of text says, and in which language code is. */
  content?: string;
  language?: string;
  /** The file of the runs' code that a code panel without content compares; none is the program. */
  file?: string;
  aggregate?: Aggregate;
  /** The run that others are compared with. */
  baseline?: string;
  /** Conditions that rows of a logged table have to meet. */
  where?: Condition[];
  /** How high pictures in cells are, pixels. */
  pictureSize?: number;
  /** A preset of `wandb.plot`, or a Vega-Lite specification. */
  chart?: Record<string, unknown>;
}

/** How all panels of a section are drawn; a panel may say otherwise for itself. */
export interface SectionSettings extends Partial<View> {
  yMin?: number;
  yMax?: number;
  /** Pixels. */
  height?: number;
  /** Cards side by side. */
  columns?: number;
}

/** What a person changed: kept under `panels` of a view. */
export interface PanelsState {
  /** A manual page shows only panels that somebody added. */
  mode?: "auto" | "manual";
  view?: Partial<View>;
  /** Cards side by side; 0 is as many as fit. */
  columns?: number;
  /** Section names in the order somebody gave them. */
  sections?: string[];
  /** Sections that somebody added: they stay when they are empty. */
  added?: string[];
  /** What sections are called, where somebody renamed them. */
  titles?: Record<string, string>;
  settings?: Record<string, SectionSettings>;
  open?: Record<string, boolean>;
  /** Panel ids by section, in the order somebody gave them. */
  order?: Record<string, string[]>;
  /** Changes to generated panels, and added ones, by id. */
  panels?: Record<string, Partial<PanelSpec>>;
  removed?: string[];
}

export const DEFAULT_VIEW: View = {
  x: OWN_AXIS,
  logX: false,
  logY: false,
  smoothing: { kind: "ema", amount: 0 },
  original: true,
  band: true,
  withoutOutliers: false,
  groupBy: [],
  groupLine: "mean",
  groupBand: "range",
  devices: "auto",
  totals: false,
  syncZoom: false,
};
export const DEFAULT_HEIGHT = 288;
export const SMALLEST_HEIGHT = 160;
export const LARGEST_HEIGHT = 900;
const ADDED = "added-";

/** A height that a panel may have. */
export function clampHeight(height: number): number {
  return Math.round(Math.max(SMALLEST_HEIGHT, Math.min(LARGEST_HEIGHT, height)));
}

/** A panel's title in its section, which says what stands before the slash already. */
export function shortTitle({ title, section }: Pick<PanelSpec, "title" | "section">): string {
  return title.startsWith(`${section}/`) ? title.slice(section.length + 1) : title;
}

/** A new id for an added panel. */
export function newId(): string {
  return `${ADDED}${Math.random().toString(36).slice(2, 10)}`;
}

/** Whether somebody added the panel, as opposed to a key. */
export function isAdded(id: string): boolean {
  return id.startsWith(ADDED);
}

/** Views kept one column to group by, and the band as `spread`, before there could be several. */
type KeptView = Omit<Partial<View>, "groupBy"> & {
  groupBy?: string | string[];
  spread?: GroupBand;
  problem?: string;
};

/** A kept state as it is written today. */
export function readPanels(kept: PanelsState): PanelsState {
  const state = soundState(kept);
  const { view, panels } = state;
  return {
    ...state,
    ...(view ? { view: readView(view) } : {}),
    ...(panels
      ? { panels: Object.fromEntries(Object.entries(panels).map(([id, spec]) => [id, readView(spec)])) }
      : {}),
  };
}

function readView<T extends KeptView>(kept: T): T & Partial<View> {
  const { spread, groupBy, problem: _problem, ...others } = kept;
  const columns = typeof groupBy === "string" ? [groupBy].filter(Boolean) : groupBy;
  return {
    ...others,
    ...(columns ? { groupBy: columns } : {}),
    ...(spread ? { groupBand: spread } : {}),
  } as T & Partial<View>;
}
