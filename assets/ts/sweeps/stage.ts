import { Feed } from "../charts/feed";
import { Layout } from "../panels/layout";
import type { Narrowing } from "../panels/narrowing";
import type { Offered } from "../panels/offered";
import type { Stage } from "../panels/panel";
import { type RunTable, TableFeed } from "../panels/run-table";
import type { RunGroup } from "../panels/runs";
import { SweepRuns } from "./runs";

/** What the panels of a sweep's page may use: tables over its runs; there are no lines of history there. */
export class SweepStage implements Stage {
  readonly isRunPage = false;
  readonly urls: Stage["urls"];
  readonly runs: SweepRuns;
  readonly layout = new Layout({}, () => undefined);
  readonly feed: Feed;
  private readonly tables: TableFeed;

  constructor(addresses: DOMStringMap, filter: string, narrowing: Narrowing) {
    this.urls = { ...addresses } as Stage["urls"];
    this.runs = new SweepRuns(filter, narrowing);
    this.tables = new TableFeed(this.urls.columns, () => this.runs.query());
    this.feed = new Feed({ url: this.urls.series, changed: () => undefined, failed: () => undefined });
  }

  table(columns: string[]): Promise<RunTable> {
    return this.tables.ask(columns);
  }

  async offered(): Promise<Offered> {
    return (await import("../panels/offered")).readOffered(this.urls.run);
  }

  async values(): Promise<Record<string, never>> {
    return {};
  }

  async groups(): Promise<ReadonlyMap<string, RunGroup>> {
    return new Map();
  }

  keysOf(): string[] {
    return [];
  }

  about(): undefined {
    return undefined;
  }

  metric(): undefined {
    return undefined;
  }

  keysFor(): string[] {
    return [];
  }

  point(): void {
    // no panel here has a cursor that others follow
  }
}
