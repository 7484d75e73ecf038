/** A key with values that are not numbers. */
export interface MediaKey {
  key: string;
  /** Media types of the SDK, `string`, `list`, …; several when they were mixed. */
  kinds: string[];
  /** Rising. */
  steps: number[];
  count: number;
}

export interface KeysReply {
  next_row: number;
  keys: MediaKey[];
  class_labels: Record<string, { value?: Record<string, string> }>;
}

export interface FileLink {
  url: string;
  size: number;
  type: string;
}

export interface MediaValue {
  row: number;
  step: number;
  kind: string;
  value: unknown;
}

export interface ValuesReply {
  values: Record<string, MediaValue>;
  files: Record<string, FileLink>;
}

export interface HeatReply {
  steps: number[];
  edges: number[];
  counts: number[][];
}

/** Addresses of a run's media: histograms over steps, pages of tables; `frame` and `viewers` are added to. */
export interface Urls {
  heat: string;
  table: string;
  frame: string;
  viewers: string;
}

/** What a value is drawn with. */
export interface Drawing {
  key: string;
  value: unknown;
  /** The step the value was logged at. */
  step: number;
  files: Record<string, FileLink>;
  labels: KeysReply["class_labels"];
  urls: Urls;
  /** Move the slider to a step. */
  goTo(step: number): void;
}

/** One picture, sound, figure, … of a value. */
export interface Item {
  /** As the SDK names a single one, such as `image-file`. */
  kind: string;
  value: Record<string, unknown>;
  caption: string;
}
