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
  /** A small heading within the section. */
  group?: string;
  /** What the chart shows, in a sentence. */
  text?: string;
}

/** Ranks of sections, as people look for them. */
const PLAIN_RANK = 0;
const CHECK_RANK = 1;
const TRAIN_RANK = 2;
export const CUSTOM_RANK = 3;
const MEDIA_RANK = 4;
const OTHER_RANK = 5;
const PROGRESS_RANK = CLOSED_RANK;
const SYSTEM_RANK = CLOSED_RANK + 1;

/** Accelerators have sections of their own on a run's page; the server ranks them first. */
const ACCELERATORS = 4;
/** Panels of one group in the order of a section. */
const GROUP_SIZE = 1000;

const CHECKS = new Set(["val", "valid", "validation", "eval", "evaluation", "test", "dev", "holdout"]);
const TRAINS = new Set(["train", "training", "trainer"]);
/** Groups of words in the order in which their metrics are looked at. */
const METRICS = [
  new Set(["loss", "losses", "nll", "perplexity", "ppl", "error"]),
  new Set(["accuracy", "acc", "f1", "auc", "auroc", "map", "miou", "iou", "bleu", "score", "top1"]),
  new Set(["reward", "rewards", "return", "returns", "success"]),
];
/** What only says how far a script has come: it rises by itself, or follows a schedule. */
const COUNTER =
  /^(?:(?:global|env|environment|train|trainer|training|eval|val|test|num|n|total|current|optimizer|update|grad|gradient|policy|learner)[_-])*(?:epochs?|steps?|iters?|iterations?|timesteps?|batch(?:_idx|es)?)$/;
const SCHEDULE = /^(?:lr|learning_?rates?)(?:[_-].*)?$/;

/** Find the section of a key: history by what stands before the first slash, system by what the server knows of it. */
export function placeOf(
  kind: Kind,
  { key, about }: Pick<KeyInfo, "key" | "about">,
  isRunPage: boolean,
): Place {
  if (kind === "history" || !about) return historyPlace(key);
  const { title, section, rank, order, text } = about;
  if (isRunPage && rank < ACCELERATORS) return { section, title, rank, order, text };
  return {
    section: word("sectionSystem"),
    title,
    rank: isRunPage ? ACCELERATORS : SYSTEM_RANK,
    order: rank * GROUP_SIZE + order,
    group: section,
    text,
  };
}

/** Tables and media whose keys name no section have sections of their own: they need more room than lines. */
export function roomyPlace(key: string, isTable: boolean): Partial<Place> {
  if (key.indexOf("/") > 0) return {};
  return { section: word(isTable ? "sectionTables" : "sectionMedia"), rank: MEDIA_RANK };
}

function historyPlace(key: string): Place {
  if (isProgress(key)) return { section: word("sectionProgress"), title: key, rank: PROGRESS_RANK };
  const order = orderOf(key);
  const slash = key.indexOf("/");
  if (slash <= 0) return { section: word("sectionCharts"), title: key, rank: PLAIN_RANK, order };
  const section = key.slice(0, slash);
  return { section, title: key, rank: rankOf(section), order };
}

/** Whether a key counts steps or follows a schedule, so that its chart tells nothing of the training. */
export function isProgress(key: string): boolean {
  const parts = key.toLowerCase().split("/");
  return COUNTER.test(parts.at(-1) ?? "") || parts.some((part) => SCHEDULE.test(part));
}

function rankOf(section: string): number {
  const words = wordsOf(section);
  if (words.some((one) => CHECKS.has(one))) return CHECK_RANK;
  return words.some((one) => TRAINS.has(one)) ? TRAIN_RANK : OTHER_RANK;
}

/** Metrics of a validation come before others, then losses, accuracies and rewards. */
function orderOf(key: string): number {
  const words = wordsOf(key);
  const metric = METRICS.findIndex((group) => words.some((one) => group.has(one)));
  const isCheck = words.some((one) => CHECKS.has(one));
  return (isCheck ? 0 : METRICS.length + 1) + (metric < 0 ? METRICS.length : metric);
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().split(/[/_.\s-]+/);
}
