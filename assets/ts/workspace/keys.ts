import type { KeyAbout, KeyInfo, KeysReply, Kind } from "../charts/wire";
import { collate } from "../lib/format";
import { getJson } from "../lib/http";
import { customPanels, kindOfType, panelsOf, withoutChartTables } from "../panels/generate";
import type { PanelKind, PanelSpec } from "../panels/spec";

/** The last row of each run, by its kind of rows. */
export interface Heads {
  kind: Kind;
  next: KeysReply["next"];
}

/** What the runs drawn have logged, as far as the server was asked: keys by kind, and charts of scripts. */
export class LoggedKeys {
  private readonly keys: Record<Kind, Map<string, KeyInfo>> = { history: new Map(), system: new Map() };
  private charts: Record<string, Record<string, unknown>> = {};
  private readonly came = new Set<Kind>();
  private reading: { runs: string; done: Promise<void> } | undefined;

  constructor(
    private readonly url: string,
    readonly kinds: readonly Kind[],
    private readonly isRunPage: boolean,
  ) {}

  /**
   * Ask what runs have logged, and remember it; who asks the same meanwhile waits for the same answer.
   * @param took - Called with each kind as it comes.
   * @returns Rejects if any kind can't be read.
   */
  read(uids: readonly string[], took: (heads: Heads) => void = () => {}): Promise<void> {
    const runs = uids.join(" ");
    if (this.reading?.runs === runs) return this.reading.done;
    const done = Promise.all(
      uids.length ? this.kinds.map((kind) => this.readKind(kind, uids, took)) : [],
    ).then(() => undefined);
    const reading = { runs, done };
    this.reading = reading;
    const end = () => {
      if (this.reading === reading) this.reading = undefined;
    };
    done.then(end, end);
    return done;
  }

  private async readKind(kind: Kind, uids: readonly string[], took: (heads: Heads) => void): Promise<void> {
    const reply = await this.ask(kind, uids);
    for (const info of reply.keys) this.keys[kind].set(info.key, info);
    if (reply.charts) this.charts = { ...this.charts, ...reply.charts };
    this.came.add(kind);
    took({ kind, next: reply.next });
  }

  /** Whether the first kind has come: its panels are at the top of the page. */
  get haveFirst(): boolean {
    return this.kinds.every((kind, place) => place > 0 || this.came.has(kind));
  }

  /** Keys that have numbers, in order. */
  numeric(kind: Kind): string[] {
    const numeric = [...this.keys[kind].values()].filter(({ numbers }) => numbers);
    return numeric.map(({ key }) => key).sort(collate);
  }

  /** What a system metric is. */
  about(key: string): KeyAbout | undefined {
    return this.keys.system.get(key)?.about;
  }

  /** What is known of a key of the history. */
  metric(key: string): KeyInfo | undefined {
    return this.keys.history.get(key);
  }

  /** Keys whose values, other than numbers, this kind of panel shows. */
  shownBy(kind: PanelKind): string[] {
    const found = [...this.keys.history.values()].filter(({ types }) =>
      types.some((type) => kindOfType(type) === kind),
    );
    return found.map(({ key }) => key).sort(collate);
  }

  /** A panel for each key and each chart, as they come without anybody's layout. */
  panels(): PanelSpec[] {
    const generated = this.kinds.flatMap((kind) =>
      panelsOf(kind, [...this.keys[kind].values()], this.isRunPage),
    );
    return [...withoutChartTables(generated, this.charts), ...customPanels(this.charts)];
  }

  private ask(kind: Kind, uids: readonly string[]): Promise<KeysReply> {
    const query = new URLSearchParams({ kind });
    for (const uid of uids) query.append("run", uid);
    return getJson<KeysReply>(`${this.url}?${query}`);
  }
}
