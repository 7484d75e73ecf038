import type { Color } from "../charts/palette";
import { announce, toast } from "../lib/announce";
import { one, throttle } from "../lib/dom";
import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { Narrowing } from "../panels/narrowing";
import type { Stage } from "../panels/panel";
import type { RunGroup, RunInfo, Runs } from "../panels/runs";
import { withRunningFirst } from "../table/state";
import { ChosenRows } from "./chosen-rows";
import { RowList } from "./row-list";
import { RunGroups } from "./run-groups";
import { openRunMenu } from "./run-menu";
import { showMarks, showRunState } from "./run-rows";
import { SelectorColors } from "./selector-colors";
import {
  baselineToggled,
  drawnRuns,
  keptFirst,
  onlyThis,
  pinToggled,
  type SelectorState,
  toggled,
} from "./selector-state";
import { SelectorWidth } from "./selector-width";

export type { SelectorState };

/** Runs drawn when nobody has chosen. */
const DRAWN_AT_FIRST = 10;
/** More lines than this tell nothing; "draw all" stops here. Panels on columns are over all runs. */
export const MOST_DRAWN = 200;
const QUERY_PARTS = ["filter", "search", "order"] as const;
const REFRESH_PAUSE_MS = 1000;
const SEARCH_PAUSE_MS = 200;

export interface SelectorOptions {
  url: string;
  groupsUrl: string;
  state: SelectorState;
  save(state: SelectorState): void;
  stage: Pick<Stage, "offered" | "table">;
  /** Keep which runs are listed. */
  saveFilter(filter: string): void;
  /** Other runs are drawn, or in other colours. */
  changed(): void;
}

/** The list of runs beside the panels: which are drawn, and in which colours. The server writes its rows. */
export class Selector implements Runs {
  private readonly rowList: RowList;
  private readonly chosenRows: ChosenRows;
  private readonly width = new SelectorWidth((width) => this.keep({ ...this.state, width }));
  private readonly lists = one<HTMLElement>("[data-run-lists]");
  private readonly searchBox = one<HTMLInputElement>("[data-run-search]");
  private readonly known = new Map<string, RunInfo>();
  state: SelectorState;
  readonly narrowing = new Narrowing(() => this.mark());
  private drawnNow = "";
  private readonly asked = new URLSearchParams(location.search);
  /** Called when a saved view lists other runs. */
  onFollow: (() => void) | undefined;

  private readonly groups: RunGroups;
  private readonly colors: SelectorColors;

  constructor(private readonly options: SelectorOptions) {
    this.state = options.state;
    this.rowList = new RowList(
      options.url,
      () => this.askedRows(),
      () => this.learn(),
    );
    this.chosenRows = new ChosenRows(options.url);
    const listed = this.lists.dataset; // what the server listed, also where the address says nothing
    for (const name of QUERY_PARTS)
      if (listed[name] && !this.asked.has(name)) this.asked.set(name, listed[name]);
    this.groups = new RunGroups({
      url: options.groupsUrl,
      state: () => this.state.groups ?? {},
      colors: () => this.state.colors ?? {},
      query: () => this.query(),
      save: (groups) => this.keep({ ...this.state, groups }),
      changed: () => this.mark(),
      pickColor: (path, button) => this.colors.pick(path, button, () => this.groups.recolor()),
    });
    this.colors = new SelectorColors(
      options.stage,
      () => this.state,
      (part) => this.keep({ ...this.state, ...part }),
      () => this.learn(),
    );
    this.listen();
    this.learn();
    if (this.state.runningFirst) void this.reread();
    else void this.readChosen();
    this.colors.read();
  }

  /** List the runs for which an expression holds, and keep it. */
  async filterBy(filter: string): Promise<void> {
    this.asked.set("filter", filter);
    this.writeAddress();
    this.options.saveFilter(filter);
    await this.reread();
  }

  /** List and draw runs by groups; by no column, one by one again. */
  group(columns: readonly string[]): void {
    const wasOn = this.groups.isOn;
    this.groups.group(columns);
    if (wasOn && !this.groups.isOn) void this.reread();
  }

  /** The groups of the runs drawn, where the list is grouped by these columns. */
  groupsBy(columns: readonly string[]): ReadonlyMap<string, RunGroup> | undefined {
    return this.groups.groupsBy(columns);
  }

  get(uid: string): RunInfo | undefined {
    return this.known.get(uid);
  }

  drawn(): RunInfo[] {
    const chosen = this.groups.isOn ? this.groups.drawn() : this.chosen();
    return chosen.filter(({ uid }) => this.narrowing.keeps(uid));
  }

  colorOf(uid: string, color: Color): Color {
    return this.colors.of(uid, color);
  }

  /** Ids of all runs that are listed so far. */
  listed(): string[] {
    return this.rowList.ids;
  }

  /** A run has another state; an unknown one is new. */
  stateOf(uid: string, state: string): void {
    if (this.groups.isOn) {
      this.groups.refresh();
      return;
    }
    const run = this.known.get(uid);
    const rows = this.rows().filter((row) => row.dataset.uid === uid);
    if (!run || !rows.length || this.state.runningFirst) {
      this.refresh();
      return;
    }
    run.state = state;
    for (const row of rows) showRunState(row, state);
  }

  /** Take another choice, such as a saved view's. */
  replace(state: SelectorState): void {
    const isOrdered = this.state.runningFirst === state.runningFirst;
    this.keep(state);
    this.colors.read();
    void (isOrdered ? this.readChosen() : this.reread());
  }

  /** Read the first rows again, as many as are shown. */
  readonly refresh = throttle(() => void this.reread(), REFRESH_PAUSE_MS);

  /** How many of the first runs are drawn. */
  private get first(): number {
    return Math.min(MOST_DRAWN, this.state.first ?? DRAWN_AT_FIRST);
  }

  /** What the eyes say. */
  private chosen(): RunInfo[] {
    const uids = drawnRuns(this.state, {
      listed: this.listed(),
      others: this.chosenRows.others,
      isKnown: (uid) => this.known.has(uid),
      most: MOST_DRAWN,
      first: this.first,
    });
    return uids.map((uid) => this.known.get(uid) as RunInfo);
  }

  private rows(): HTMLElement[] {
    return [...this.lists.querySelectorAll<HTMLElement>("[data-uid]")];
  }

  /** Read what the rows say of their runs, and mark those that are drawn. */
  private learn(): void {
    this.chosenRows.leave(new Set(this.listed()));
    for (const { dataset } of this.rows()) {
      const { uid = "", name = "", state = "", color = "0" } = dataset;
      this.known.set(uid, { uid, name, state, color: Number(color) });
    }
    this.colors.paint(this.rows(), this.chosen(), (uid) => this.known.get(uid));
    this.mark();
  }

  private mark(): void {
    const drawn = new Set(this.chosen().map(({ uid }) => uid));
    const above = new Set(this.chosenRows.pinned);
    for (const row of this.rows()) {
      const { uid = "" } = row.dataset;
      const isDrawn = drawn.has(uid);
      row.hidden = above.has(uid) && !this.chosenRows.isPinnedRow(row);
      showMarks(row, this.state.pinned?.includes(uid) ?? false, uid === this.state.baseline);
      row.classList.toggle("is-outside", !this.narrowing.keeps(uid));
      row.classList.toggle("is-hidden", !isDrawn);
      row.querySelector("[data-eye]")?.setAttribute("aria-pressed", String(isDrawn));
    }
    const { total } = this.rowList;
    const n = formatCount(this.drawn().length);
    one("[data-run-count]").textContent = this.groups.isOn
      ? this.groups.count
      : word("runsDrawn", { n, of: formatCount(total) });
    const { kept } = this.narrowing;
    one<HTMLElement>("[data-narrowed]").hidden = kept === null;
    one<HTMLElement>("[data-draw-narrowed]").hidden = this.groups.isOn;
    one("[data-narrowed-text]").textContent = word("runsBrushed", { n: formatCount(kept?.length ?? 0) });
    one<HTMLElement>("[data-no-run]").hidden =
      total > 0 || !(this.searchBox.value || this.asked.get("filter"));
    this.tell();
  }

  private tell(): void {
    const drawn = this.drawn().map(({ uid, color, name }) => `${uid}:${color}:${name}`);
    const now = [this.narrowing.version, JSON.stringify(this.query()), ...drawn]
      .join(" ")
      .concat(this.groups.signature());
    if (now === this.drawnNow) return;
    this.drawnNow = now;
    this.options.changed();
  }

  private keep(state: SelectorState): void {
    this.state = state;
    this.options.save(state);
    this.showFrame();
    this.learn();
  }

  private showFrame(): void {
    this.width.show(this.state.width ?? 0);
    one<HTMLInputElement>("[data-running-first]").checked = this.state.runningFirst ?? false;
  }

  private listen(): void {
    this.lists.addEventListener("click", (event) => {
      const target = event.target as Element;
      const row = target.closest<HTMLElement>("[data-uid]");
      const more = target.closest("[data-more-runs]");
      if (more) void this.rowList.more();
      if (!row) return;
      const uid = row.dataset.uid ?? "";
      if (target.closest("[data-eye]")) this.toggle(uid);
      else if (target.closest("[data-only]")) this.drawOnly(uid);
      else if (target.closest("[data-run-more]"))
        openRunMenu(row, target.closest<HTMLElement>("[data-run-more]") as HTMLElement, this);
      else if (target.closest("[data-swatch]"))
        this.colors.pick(uid, target.closest<HTMLElement>("[data-swatch]"));
    });
    one("[data-hide-all]").addEventListener("click", () => {
      if (this.groups.isOn) this.groups.hideAll();
      else this.keep(onlyThis(this.state, []));
    });
    one("[data-show-all]").addEventListener("click", () => {
      if (this.groups.isOn) this.groups.showAll();
      else void this.showAll();
    });
    one("[data-draw-narrowed]").addEventListener("click", () => {
      const shown = this.narrowing.kept?.slice(0, MOST_DRAWN) ?? [];
      this.replace(onlyThis(this.state, shown));
    });
    one("[data-clear-narrowing]").addEventListener("click", () => {
      this.narrowing.clear();
      this.searchBox.focus();
    });
    const runningFirst = one<HTMLInputElement>("[data-running-first]");
    runningFirst.addEventListener("change", () =>
      this.replace({ ...this.state, runningFirst: runningFirst.checked }),
    );
    this.showFrame();
    const search = throttle(() => void this.searchAgain(), SEARCH_PAUSE_MS);
    this.searchBox.addEventListener("input", search);
    new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void this.rowList.more();
    }).observe(one("[data-run-end]"));
  }

  private toggle(uid: string): void {
    const isDrawn = this.chosen().some((run) => run.uid === uid);
    const isFirst = [...keptFirst(this.state), ...this.listed().slice(0, this.first)].includes(uid);
    this.keep(toggled(this.state, uid, isDrawn, isFirst));
    announce(word(isDrawn ? "runHidden" : "runShown", { name: this.nameOf(uid) }));
  }

  pin(uid: string): void {
    this.replace(pinToggled(this.state, uid));
    announce(
      word(this.state.pinned?.includes(uid) ? "runPinned" : "runUnpinned", { name: this.nameOf(uid) }),
    );
  }

  setBaseline(uid: string): void {
    this.replace(baselineToggled(this.state, uid));
    announce(word(this.state.baseline ? "baselineSet" : "baselineCleared", { name: this.nameOf(uid) }));
  }

  drawOnly(uid: string): void {
    this.keep(onlyThis(this.state, [uid]));
  }

  private nameOf(uid: string): string {
    return this.known.get(uid)?.name ?? uid;
  }

  private async showAll(): Promise<void> {
    this.keep({ ...this.state, hidden: [], shown: [], first: MOST_DRAWN });
    await this.readFirst();
    if (this.rowList.total > MOST_DRAWN) toast(word("drawnLimit", { n: MOST_DRAWN }));
  }

  /** Read as many rows as runs are drawn of the first ones: a choice outlasts the page it was made on. */
  private async readFirst(): Promise<void> {
    while (this.listed().length < this.first && (await this.rowList.more()));
  }

  private async readChosen(): Promise<void> {
    await this.readFirst();
    await this.readAbove();
  }

  private async searchAgain(): Promise<void> {
    this.asked.set("search", this.searchBox.value);
    this.writeAddress();
    await this.reread();
  }

  /** Which runs are listed: the parts of the address that say so. */
  query(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of QUERY_PARTS) found[name] = this.asked.get(name) ?? "";
    return found;
  }

  /** What the server is asked for the rows. */
  private askedRows(): URLSearchParams {
    const query = new URLSearchParams(this.asked);
    if (this.state.runningFirst) query.set("order", withRunningFirst(query.get("order") ?? "", true));
    return query;
  }

  /** List the runs of another query. */
  async follow(query: Record<string, unknown>): Promise<void> {
    for (const name of QUERY_PARTS) this.asked.set(name, String(query[name] ?? ""));
    this.searchBox.value = this.asked.get("search") ?? "";
    this.writeAddress();
    this.onFollow?.();
    await this.reread();
  }

  private writeAddress(): void {
    const address = new URL(location.href);
    for (const [name, value] of this.asked) if (name !== "zoom") address.searchParams.set(name, value);
    history.replaceState(history.state, "", address);
  }

  private async reread(): Promise<void> {
    if (this.groups.isOn) {
      await this.groups.read();
      return;
    }
    const wanted = this.listed().length;
    if (!(await this.rowList.begin())) return;
    const enough = Math.max(this.first, Math.min(wanted, 500));
    while (this.listed().length < enough && (await this.rowList.more()));
    this.learn();
    void this.readAbove();
  }

  /** Read pinned runs, and chosen ones that are not among the rows. */
  private async readAbove(): Promise<void> {
    const kept = keptFirst(this.state);
    const there = new Set([...this.listed(), ...kept]);
    const missing = (this.state.shown ?? []).filter((uid) => !there.has(uid));
    await Promise.all([this.chosenRows.readPinned(kept), this.chosenRows.readOthers(missing, this.asked)]);
    this.learn();
  }
}
