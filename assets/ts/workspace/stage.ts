import type { Feed } from "../charts/feed";
import type { KeyAbout, KeyInfo, Kind, ValuesReply } from "../charts/wire";
import type { EditorStage } from "../panels/editor/dialog";
import type { Layout, Section } from "../panels/layout";
import type { Offered } from "../panels/offered";
import type { Stage } from "../panels/panel";
import { type RunTable, TableFeed } from "../panels/run-table";
import type { RunGroup, Runs } from "../panels/runs";
import type { PanelKind, PanelSpec } from "../panels/spec";
import { GroupReader } from "./group-reply";
import type { LoggedKeys } from "./keys";
import { RunValues } from "./run-values";
import type { Selector } from "./selector";

/** What the stage takes from the page. */
export interface StageParts {
  urls: Stage["urls"];
  isRunPage: boolean;
  layout: Layout;
  runs: Runs;
  selector: Selector | undefined;
  feed: Feed;
  keys: LoggedKeys;
  point: Stage["point"];
  arranged: () => readonly Section[];
  put: (spec: PanelSpec) => void;
}

/** What panels and their editor may use of the page. */
export class PageStage implements EditorStage {
  readonly urls: Stage["urls"];
  readonly isRunPage: boolean;
  readonly layout: Layout;
  readonly runs: Runs;
  readonly feed: Feed;
  readonly arranged: StageParts["arranged"];
  readonly put: StageParts["put"];
  readonly point: StageParts["point"];
  private readonly selector: Selector | undefined;
  private readonly keys: LoggedKeys;
  private readonly tables: TableFeed;
  private readonly runValues: RunValues;
  private readonly groupReader: GroupReader;

  constructor(parts: StageParts) {
    this.urls = parts.urls;
    this.isRunPage = parts.isRunPage;
    this.layout = parts.layout;
    this.runs = parts.runs;
    this.feed = parts.feed;
    this.arranged = parts.arranged;
    this.put = parts.put;
    this.point = parts.point;
    this.selector = parts.selector;
    this.keys = parts.keys;
    this.tables = new TableFeed(this.urls.columns, () => this.runs.query());
    this.runValues = new RunValues(this.urls.values);
    this.groupReader = new GroupReader(this.urls.groups);
  }

  values(columns: string[]): Promise<ValuesReply["runs"]> {
    return this.runValues.read(this.drawn(), columns);
  }

  table(columns: string[]): Promise<RunTable> {
    return this.tables.ask(columns);
  }

  async offered(): Promise<Offered> {
    return (await import("../panels/offered")).readOffered(this.urls.run);
  }

  async groups(columns: readonly string[]): Promise<ReadonlyMap<string, RunGroup>> {
    return this.selector?.groupsBy(columns) ?? this.groupReader.read(columns, this.drawn());
  }

  keysOf(kind: Kind): string[] {
    return this.keys.numeric(kind);
  }

  about(key: string): KeyAbout | undefined {
    return this.keys.about(key);
  }

  metric(key: string): KeyInfo | undefined {
    return this.keys.metric(key);
  }

  keysFor(kind: PanelKind): string[] {
    return this.keys.shownBy(kind);
  }

  private drawn(): string[] {
    return this.runs.drawn().map(({ uid }) => uid);
  }
}
