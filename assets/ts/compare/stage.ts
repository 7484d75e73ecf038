import { Feed, type FeedOptions } from "../charts/feed";
import type { Color } from "../charts/palette";
import type { KeyInfo } from "../charts/wire";
import { Layout } from "../panels/layout";
import { Narrowing } from "../panels/narrowing";
import { NOTHING_OFFERED, type Offered } from "../panels/offered";
import type { Panel, Stage } from "../panels/panel";
import { RunTable } from "../panels/run-table";
import type { RunGroup, RunInfo, Runs } from "../panels/runs";
import { LoggedKeys } from "../workspace/keys";

/** The runs compared: all of them are drawn. */
export class ComparedRuns implements Runs {
  readonly narrowing = new Narrowing(() => undefined);

  constructor(private readonly runs: readonly RunInfo[]) {}

  drawn(): RunInfo[] {
    return [...this.runs];
  }

  get(uid: string): RunInfo | undefined {
    return this.runs.find((run) => run.uid === uid);
  }

  query(): Record<string, string> {
    return {};
  }

  colorOf(uid: string, color: Color): Color {
    return this.get(uid)?.color ?? color;
  }
}

/** What the charts of a comparison may use: lines of what its runs logged. */
export class CompareStage implements Stage {
  readonly isRunPage = false;
  readonly urls: Stage["urls"];
  readonly layout = new Layout({}, () => undefined);
  readonly feed: Feed;
  readonly logged: LoggedKeys;
  /** Called with the place on an axis that the cursor of a panel is at. */
  pointed: (from: Panel, axis: string, x: number | null) => void = () => undefined;

  constructor(
    addresses: DOMStringMap,
    readonly runs: ComparedRuns,
    options: Omit<FeedOptions, "url">,
  ) {
    this.urls = { ...addresses } as Stage["urls"];
    this.feed = new Feed({ url: this.urls.series, ...options });
    this.logged = new LoggedKeys(this.urls.keys, ["history"], false);
  }

  metric(key: string): KeyInfo | undefined {
    return this.logged.metric(key);
  }

  keysOf(): string[] {
    return this.logged.numeric("history");
  }

  point(from: Panel, axis: string, x: number | null): void {
    this.pointed(from, axis, x);
  }

  async table(): Promise<RunTable> {
    return new RunTable({ total: 0, uid: [], name: [], state: [], color: [], columns: {} });
  }

  async offered(): Promise<Offered> {
    return NOTHING_OFFERED;
  }

  async values(): Promise<Record<string, never>> {
    return {};
  }

  async groups(): Promise<ReadonlyMap<string, RunGroup>> {
    return new Map();
  }

  about(): undefined {
    return undefined;
  }

  keysFor(): string[] {
    return [];
  }
}
