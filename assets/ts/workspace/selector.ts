import type { Color } from "../charts/palette";
import { announce, toast } from "../lib/announce";
import { one, throttle } from "../lib/dom";
import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { Narrowing } from "../panels/narrowing";
import type { Stage } from "../panels/panel";
import type { RunGroup, RunInfo, Runs } from "../panels/runs";
import { type GroupsState, RunGroups } from "./run-groups";
import { type ColorState, SelectorColors } from "./selector-colors";

/** Runs drawn when nobody has chosen. */
const DRAWN_AT_FIRST = 10;
/** More lines than this tell nothing; "draw all" stops here. Panels on columns are over all runs. */
export const MOST_DRAWN = 200;
const QUERY_PARTS = ["filter", "search", "order"] as const;
const REFRESH_PAUSE_MS = 1000;
const SEARCH_PAUSE_MS = 200;

/** What a person chose: kept under `selector` of a view. */
export interface SelectorState extends ColorState {
  hidden?: string[];
  /** Drawn although they are not among the first. */
  shown?: string[];
  /** How many of the first runs are drawn. */
  first?: number;
  groups?: GroupsState;
}

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
  private readonly list = one<HTMLElement>("[data-run-rows]");
  /** Runs that somebody chose and that are not among the rows read so far. */
  private readonly pinned = one<HTMLElement>("[data-run-pinned]");
  private readonly lists = one<HTMLElement>("[data-run-lists]");
  private readonly searchBox = one<HTMLInputElement>("[data-run-search]");
  private readonly known = new Map<string, RunInfo>();
  state: SelectorState;
  readonly narrowing = new Narrowing(() => this.mark());
  private drawnNow = "";
  private reading: AbortController | undefined;
  private readingMore: Promise<boolean> | undefined;
  private readonly asked = new URLSearchParams(location.search);
  /** Called when a saved view lists other runs. */
  onFollow: (() => void) | undefined;

  private readonly groups: RunGroups;
  private readonly colors: SelectorColors;

  constructor(private readonly options: SelectorOptions) {
    this.state = options.state;
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
    void this.readChosen();
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
    return [...this.list.querySelectorAll<HTMLElement>("[data-uid]")].map((row) => row.dataset.uid ?? "");
  }

  /** A run has another state; an unknown one is new. */
  stateOf(uid: string, state: string): void {
    if (this.groups.isOn) {
      this.groups.refresh();
      return;
    }
    const run = this.known.get(uid);
    const row = this.rowOf(uid);
    if (!run || !row) {
      this.refresh();
      return;
    }
    run.state = state;
    const dot = row.querySelector<HTMLElement>(".state-dot");
    if (!dot) return;
    dot.dataset.state = state;
    dot.title = word(`state_${state}`);
    dot.setAttribute("aria-label", dot.title);
  }

  /** Take another choice, such as a saved view's. */
  replace(state: SelectorState): void {
    this.keep(state);
    this.colors.read();
    void this.readChosen();
  }

  /** Read the first rows again, as many as are shown. */
  readonly refresh = throttle(() => void this.reread(), REFRESH_PAUSE_MS);

  /** How many of the first runs are drawn. */
  private get first(): number {
    return Math.min(MOST_DRAWN, this.state.first ?? DRAWN_AT_FIRST);
  }

  /** What the eyes say. Runs that somebody chose one by one come before those that are merely among the first. */
  private chosen(): RunInfo[] {
    const hidden = new Set(this.state.hidden);
    const shown = new Set(this.state.shown);
    const listed = this.listed();
    const firsts = new Set(listed.slice(0, this.first).filter((uid) => !hidden.has(uid)));
    const pinned = [...this.pinned.querySelectorAll<HTMLElement>("[data-uid]")];
    const all = [...listed, ...pinned.map((row) => row.dataset.uid ?? "")].filter((uid) =>
      this.known.has(uid),
    );
    let room = MOST_DRAWN - all.filter((uid) => shown.has(uid)).length;
    return all
      .filter((uid) => shown.has(uid) || (firsts.has(uid) && room-- > 0))
      .slice(0, MOST_DRAWN)
      .map((uid) => this.known.get(uid) as RunInfo);
  }

  private rows(): HTMLElement[] {
    return [...this.lists.querySelectorAll<HTMLElement>("[data-uid]")];
  }

  private rowOf(uid: string): HTMLElement | null {
    return this.lists.querySelector(`[data-uid="${CSS.escape(uid)}"]`);
  }

  /** Read what the rows say of their runs, and mark those that are drawn. */
  private learn(): void {
    const listed = new Set(this.listed());
    for (const row of this.pinned.querySelectorAll<HTMLElement>("[data-uid]")) {
      if (listed.has(row.dataset.uid ?? "")) row.remove();
    }
    for (const { dataset } of this.rows()) {
      const { uid = "", name = "", state = "", color = "0" } = dataset;
      this.known.set(uid, { uid, name, state, color: Number(color) });
    }
    this.colors.paint(this.rows(), this.chosen(), (uid) => this.known.get(uid));
    this.mark();
  }

  private get total(): number {
    return Number(one<HTMLElement>("[data-total]", this.list).dataset.total ?? "0");
  }

  private mark(): void {
    const drawn = new Set(this.chosen().map(({ uid }) => uid));
    for (const row of this.rows()) {
      const { uid = "" } = row.dataset;
      const isDrawn = drawn.has(uid);
      row.classList.toggle("is-outside", !this.narrowing.keeps(uid));
      row.classList.toggle("is-hidden", !isDrawn);
      row.querySelector("[data-eye]")?.setAttribute("aria-pressed", String(isDrawn));
    }
    const { total } = this;
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
    this.learn();
  }

  private listen(): void {
    this.lists.addEventListener("click", (event) => {
      const target = event.target as Element;
      const row = target.closest<HTMLElement>("[data-uid]");
      const more = target.closest("[data-more-runs]");
      if (more) void this.readMore();
      if (!row) return;
      const uid = row.dataset.uid ?? "";
      if (target.closest("[data-eye]")) this.toggle(uid);
      else if (target.closest("[data-only]"))
        this.keep({ ...this.state, hidden: [], shown: [uid], first: 0 });
      else if (target.closest("[data-swatch]"))
        this.colors.pick(uid, target.closest<HTMLElement>("[data-swatch]"));
    });
    one("[data-hide-all]").addEventListener("click", () => {
      if (this.groups.isOn) this.groups.hideAll();
      else this.keep({ ...this.state, hidden: [], shown: [], first: 0 });
    });
    one("[data-show-all]").addEventListener("click", () => {
      if (this.groups.isOn) this.groups.showAll();
      else void this.showAll();
    });
    one("[data-draw-narrowed]").addEventListener("click", () => {
      const shown = this.narrowing.kept?.slice(0, MOST_DRAWN) ?? [];
      this.replace({ ...this.state, hidden: [], shown, first: 0 });
    });
    one("[data-clear-narrowing]").addEventListener("click", () => {
      this.narrowing.clear();
      this.searchBox.focus();
    });
    const search = throttle(() => void this.searchAgain(), SEARCH_PAUSE_MS);
    this.searchBox.addEventListener("input", search);
    new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void this.readMore();
    }).observe(one("[data-run-end]"));
  }

  private toggle(uid: string): void {
    const isDrawn = this.chosen().some((run) => run.uid === uid);
    const without = (uids: string[] = []) => uids.filter((other) => other !== uid);
    const isFirst = this.listed().slice(0, this.first).includes(uid);
    this.keep({
      ...this.state,
      hidden: isDrawn && isFirst ? [...without(this.state.hidden), uid] : without(this.state.hidden),
      shown: !isDrawn && !isFirst ? [...without(this.state.shown), uid] : without(this.state.shown),
    });
    announce(word(isDrawn ? "runHidden" : "runShown", { name: this.known.get(uid)?.name ?? uid }));
  }

  private async showAll(): Promise<void> {
    this.keep({ ...this.state, hidden: [], shown: [], first: MOST_DRAWN });
    await this.readFirst();
    if (this.total > MOST_DRAWN) toast(word("drawnLimit", { n: MOST_DRAWN }));
  }

  /** Read as many rows as runs are drawn of the first ones: a choice outlasts the page it was made on. */
  private async readFirst(): Promise<void> {
    while (this.listed().length < this.first && (await this.readMore()));
  }

  private async readChosen(): Promise<void> {
    await this.readFirst();
    await this.readPinned();
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

  /** List the runs of another query. */
  async follow(query: Record<string, unknown>): Promise<void> {
    for (const name of QUERY_PARTS) this.asked.set(name, String(query[name] ?? ""));
    this.searchBox.value = this.asked.get("search") ?? "";
    this.writeAddress();
    this.onFollow?.();
    await this.reread();
  }

  private writeAddress(): void {
    const text = this.asked.toString();
    history.replaceState(history.state, "", `${location.pathname}${text ? `?${text}` : ""}`);
  }

  private async reread(): Promise<void> {
    if (this.groups.isOn) {
      await this.groups.read();
      return;
    }
    const wanted = this.listed().length;
    const html = await this.read({ offset: "0" });
    if (html === null) return;
    this.list.innerHTML = html;
    const enough = Math.max(this.first, Math.min(wanted, 500));
    while (this.listed().length < enough && (await this.readMore()));
    this.learn();
    void this.readPinned();
  }

  /** Read the next rows; false when there are no more. Who asks meanwhile waits for the same ones. */
  private readMore(): Promise<boolean> {
    this.readingMore ??= this.readNext().finally(() => {
      this.readingMore = undefined;
    });
    return this.readingMore;
  }

  private async readNext(): Promise<boolean> {
    const last = [...this.list.querySelectorAll<HTMLElement>("[data-next]")].at(-1);
    const offset = last?.dataset.next;
    if (!offset) return false;
    const html = await this.read({ offset });
    if (html === null || !last?.isConnected) return false;
    last.dataset.next = "";
    this.list.insertAdjacentHTML("beforeend", html);
    this.learn();
    return true;
  }

  /** Read runs that somebody chose and that are not among the rows. */
  private async readPinned(): Promise<void> {
    const listed = new Set(this.listed());
    const missing = (this.state.shown ?? []).filter((uid) => !listed.has(uid));
    if (!missing.length) return;
    const query = new URLSearchParams(this.asked);
    for (const uid of missing) query.append("uid", uid);
    const reply = await fetch(`${this.options.url}?${query}`).catch(() => null);
    if (!reply?.ok) return;
    this.pinned.innerHTML = await reply.text();
    this.learn();
  }

  /** The server's rows, already escaped; null when they could not be read or another question came since. */
  private async read(part: Record<string, string>): Promise<string | null> {
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    const query = new URLSearchParams(this.asked);
    for (const [name, value] of Object.entries(part)) query.set(name, value);
    try {
      const reply = await fetch(`${this.options.url}?${query}`, { signal: reading.signal });
      one<HTMLElement>("[data-run-error]").hidden = reply.ok;
      return reply.ok ? await reply.text() : null;
    } catch {
      if (!reading.signal.aborted) one<HTMLElement>("[data-run-error]").hidden = false;
      return null;
    }
  }
}
