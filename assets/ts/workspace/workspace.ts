import { Feed } from "../charts/feed";
import type { KeyAbout, KeyInfo, Kind, RunMessage, ValuesReply } from "../charts/wire";
import { offerUndo } from "../lib/announce";
import { one, showPart, throttle } from "../lib/dom";
import { word } from "../lib/words";
import type { Card } from "../panels/card";
import { Enlarged } from "../panels/enlarge";
import { Grid } from "../panels/grid";
import { Layout, type Section } from "../panels/layout";
import { openMenu } from "../panels/menu";
import type { Offered } from "../panels/offered";
import type { Panel, Stage } from "../panels/panel";
import { type RunTable, TableFeed } from "../panels/run-table";
import type { RunGroup, Runs } from "../panels/runs";
import type { PanelSpec, PanelsState, View } from "../panels/spec";
import { enableCropping, readCrop } from "../table/crop";
import { GroupMenu } from "./group-menu";
import { GroupReader } from "./group-reply";
import { Keeper } from "./keeper";
import { LoggedKeys } from "./keys";
import { Live } from "./live";
import { offerFilter } from "./offer-filter";
import { OneRun } from "./one-run";
import { RunValues } from "./run-values";
import { openSavedViews } from "./saved-views";
import { Selector } from "./selector";
import { readStart, type Start } from "./start";
import { Toolbar } from "./toolbar";
import type { ViewSpec } from "./views";

/** How often live runs are asked for new keys, milliseconds; more for each run drawn. */
const KEYS_PAUSE_MS = 4000;
const KEYS_PAUSE_A_RUN_MS = 300;

/** A page of panels over the runs drawn: a project's workspace, or the charts of one run. */
export class Workspace implements Stage {
  readonly root = one<HTMLElement>("[data-workspace]");
  readonly isRunPage = this.root.dataset.page === "run";
  readonly urls = {
    series: "",
    values: "",
    histograms: "",
    tables: "",
    columns: "",
    importance: "",
    keys: "",
    groups: "",
    media: "",
    run: "",
    charts: "",
    frame: "",
    viewers: "",
    entity: "",
    ...this.root.dataset,
  } as Stage["urls"];
  readonly layout: Layout;
  readonly runs: Runs;
  readonly feed: Feed;
  private readonly tables = new TableFeed(this.urls.columns, () => this.runs.query());
  private readonly keeper: Keeper;
  private readonly grid: Grid;
  private readonly enlarged: Enlarged;
  private readonly toolbar: Toolbar;
  private readonly live: Live;
  private readonly selector: Selector | undefined;
  private readonly showCropping: (() => void) | undefined;
  private readonly groupMenu: GroupMenu | undefined;
  private readonly groupReader: GroupReader;
  private readonly keys: LoggedKeys;
  private readonly runValues = new RunValues(this.urls.values);
  private sections: Section[] = [];
  private hasRead = false;
  private runsPart: Record<string, unknown>;

  constructor() {
    const {
      viewUrl = "",
      store = "runyard-workspace",
      part = "panels",
      kinds = "history",
    } = this.root.dataset;
    this.keys = new LoggedKeys(this.urls.keys, kinds.split(" ") as Kind[], this.isRunPage);
    this.keeper = new Keeper(viewUrl, store, part);
    const start: Start = { ...readStart(), ...this.keeper.recall() };
    this.runsPart = start.runs ?? {};
    this.layout = new Layout(
      start.panels ?? {},
      (panels) => this.keeper.keep({ panels }),
      () => this.defaults(),
    );
    this.groupReader = new GroupReader(this.urls.groups);
    this.feed = new Feed({
      url: this.urls.series,
      changed: (source, keys) => {
        this.grid.took(source, keys);
        this.enlarged.panel?.took?.(source, keys);
      },
      failed: (source, keys) => this.grid.failed(source, keys),
    });
    if (!this.isRunPage) {
      this.selector = new Selector({
        url: this.root.dataset.selector ?? "",
        groupsUrl: this.urls.groups,
        state: start.selector ?? {},
        save: (selector) => this.keeper.keep({ selector }),
        saveFilter: (filter) => this.keepRuns({ ...this.runsPart, filter }),
        stage: this,
        changed: () => this.runsChanged(),
      });
      this.showCropping = enableCropping(
        one(".selector"),
        () => readCrop(this.runsPart.crop),
        (crop) => this.keepRuns({ ...this.runsPart, crop }),
      );
    }
    this.runs = this.selector ?? new OneRun(this.root.dataset);
    this.grid = new Grid(one("[data-grid]"), this, this.layout, {
      menu: (card, button) => openMenu(card, button, this),
      enlarge: (card) => this.enlarge(card),
      edit: (card) => this.edit(card),
      changed: () => this.arrange(),
      addTo: (section) => void this.add(section),
    });
    this.enlarged = new Enlarged(this);
    this.toolbar = new Toolbar(this.layout, () => this.redraw());
    if (this.selector) this.groupMenu = new GroupMenu(this.layout, this.urls.run, () => this.redraw());
    this.live = new Live({
      rows: (uid, heads) => {
        if (heads.history !== undefined) this.feed.advance("history", uid, heads.history);
        if (heads.system !== undefined) this.feed.advance("system", uid, heads.system);
      },
      catchUp: () => {
        this.grow();
        this.readKeysSoon();
      },
      state: (uid, state) => {
        this.selector?.stateOf(uid, state);
        this.growSoon(); // panels over all runs may have it
      },
      again: () => {
        this.selector?.refresh();
        void this.readKeys();
      },
    });
  }

  begin(): void {
    this.listen();
    this.selector?.group(this.layout.view.groupBy);
    const { socket } = this.root.dataset;
    if (socket) this.live.open(socket);
    this.live.follow(this.runs.drawn().map(({ uid }) => uid));
    void this.readKeys();
  }

  values(columns: string[]): Promise<ValuesReply["runs"]> {
    const uids = this.runs.drawn().map(({ uid }) => uid);
    return this.runValues.read(uids, columns);
  }

  table(columns: string[]): Promise<RunTable> {
    return this.tables.ask(columns);
  }

  async offered(): Promise<Offered> {
    return (await import("../panels/offered")).readOffered(this.urls.run);
  }

  async groups(columns: readonly string[]): Promise<ReadonlyMap<string, RunGroup>> {
    const uids = this.runs.drawn().map(({ uid }) => uid);
    return this.selector?.groupsBy(columns) ?? this.groupReader.read(columns, uids);
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

  tableKeys(): string[] {
    return this.keys.tables();
  }

  histogramKeys(): string[] {
    return this.keys.histograms();
  }

  point(from: Panel, axis: string, x: number | null): void {
    this.grid.each(({ panel }) => {
      if (panel !== from) panel?.pointed?.(axis, x);
    });
  }

  /** Sections as they are arranged now. */
  arranged(): readonly Section[] {
    return this.sections;
  }

  enlarge(card: Card): void {
    this.enlarged.open(card);
  }

  edit(card: Card): void {
    void this.openEditor(card.spec);
  }

  /** Keep a panel as the editor left it. */
  put(spec: PanelSpec): void {
    this.layout.put(spec);
    this.arrange();
  }

  remove(card: Card): void {
    this.runs.narrowing.clear(card.spec.id);
    const putBack = this.layout.remove(card.spec.id);
    this.arrange();
    offerUndo(word("panelRemoved", { title: card.spec.title }), () => {
      putBack();
      this.arrange();
    });
  }

  shift(card: Card, places: number): void {
    this.grid.shift(card, places);
  }

  resize(card: Card, part: Pick<PanelSpec, "span" | "height">): void {
    this.layout.change(card.spec.id, part);
    this.arrange();
  }

  choose(card: Card, part: Partial<PanelSpec>): void {
    this.layout.change(card.spec.id, part);
    this.arrange();
  }

  /** Put panels into their sections again. */
  arrange(): void {
    this.sections = this.layout.arrange(this.keys.panels());
    const shown = this.grid.show(this.sections, this.searched);
    const note = one<HTMLElement>("[data-no-match]");
    note.hidden = shown > 0 || !this.searched;
    note.textContent = word("noMatch", { text: this.searched });
    this.showState();
  }

  private get searched(): string {
    return one<HTMLInputElement>("[data-page-search]").value;
  }

  /** What a view says that nobody changed: the runs table's groups are the workspace's, too. */
  private defaults(): Partial<View> {
    if (this.isRunPage) return this.keys.kinds.includes("history") ? {} : { x: "_runtime" };
    const { group } = this.runsPart;
    return Array.isArray(group) ? { groupBy: group.map(String) } : {};
  }

  private redraw(): void {
    this.selector?.group(this.layout.view.groupBy);
    this.arrange();
    this.grid.refresh();
    this.enlarged.panel?.refresh();
  }

  private async add(section?: Section): Promise<void> {
    const { blankPanel } = await import("../panels/editor");
    await this.openEditor(blankPanel(section ?? this.sections[0]));
  }

  private async openEditor(spec: PanelSpec): Promise<void> {
    const { openEditor } = await import("../panels/editor");
    openEditor(spec, this);
  }

  private runsChanged(): void {
    if (!this.grid) return; // the selector tells once while it is made
    this.live.follow(this.runs.drawn().map(({ uid }) => uid));
    this.grid.refresh();
    this.enlarged.panel?.refresh();
    this.readKeysNow();
  }

  private readonly readKeysNow = throttle(() => void this.readKeys(), 150);
  private readonly readKeysSoon = throttle(
    () => void this.readKeys(),
    KEYS_PAUSE_MS + KEYS_PAUSE_A_RUN_MS * (this.isRunPage ? 0 : 20),
  );

  private async readKeys(): Promise<void> {
    const drawn = this.runs.drawn().map(({ uid }) => uid);
    const uids = drawn.length ? drawn : (this.selector?.listed().slice(0, 10) ?? []);
    try {
      const found = await this.keys.read(uids);
      this.hasRead = true;
      for (const { kind, next } of found) {
        for (const [uid, head] of Object.entries(next)) this.feed.advance(kind, uid, head);
      }
      if (found.length) this.toolbar.offerAxes(this.keysOf("history"));
      this.arrange();
      this.grow();
    } catch {
      if (!this.hasRead) this.showState("error");
    }
  }

  /** Let the panels on show ask for what has come. */
  private grow(): void {
    const grow = (panel: Panel | undefined) => (panel?.grew ? panel.grew() : panel?.refresh());
    this.grid.each((card) => grow(card.panel));
    grow(this.enlarged.panel);
  }

  private readonly growSoon = throttle(() => this.grow(), KEYS_PAUSE_MS);

  private showState(wanted?: string): void {
    const count = this.sections.reduce((sum, { panels }) => sum + panels.length, 0);
    const state = wanted ?? (count ? "full" : this.hasRead ? "empty" : "loading");
    showPart(this.root, state);
  }

  private listen(): void {
    const search = throttle(() => this.arrange(), 120);
    one("[data-page-search]").addEventListener("input", search);
    one("[data-retry-keys]").addEventListener("click", () => {
      this.showState("loading");
      void this.readKeys();
    });
    one("[data-add-panel]").addEventListener("click", () => void this.add());
    one("[data-reset-panels]").addEventListener("click", () => this.resetPanels());
    for (const button of this.root.querySelectorAll<HTMLElement>("[data-toggle-selector]")) {
      button.addEventListener("click", () => this.toggleSelector());
    }
    const filterBox = this.root.querySelector<HTMLInputElement>("[data-expression] input");
    if (this.selector && filterBox) offerFilter(filterBox, this.urls.run, this.selector);
    openSavedViews(this.root.dataset, {
      read: () => ({
        panels: this.layout.state,
        ...(this.selector ? { selector: this.selector.state, runs: this.runsShown() } : {}),
      }),
      apply: (spec) => this.apply(spec),
    });
    document.addEventListener("run-message", (event) => {
      const message = (event as CustomEvent<RunMessage>).detail;
      this.live.take(message, this.runs.drawn()[0]?.uid);
    });
    document.addEventListener("run-connected", () => this.readKeysNow());
  }

  /** Forget the layout, and offer it back: both are kept as any other change is. */
  private resetPanels(): void {
    const before = this.layout.state;
    this.runs.narrowing.clear();
    const show = (state: PanelsState) => {
      this.layout.replace(state);
      this.toolbar.show();
      this.groupMenu?.show();
      this.redraw();
    };
    show({});
    offerUndo(word("panelsReset"), () => show(before));
  }

  /** Show what a saved view says. */
  private apply(spec: ViewSpec): void {
    this.runs.narrowing.clear();
    this.layout.replace(spec.panels ?? {});
    this.selector?.replace(spec.selector ?? {});
    if (spec.runs) {
      this.keepRuns({ ...this.runsPart, ...spec.runs });
      this.showCropping?.();
      void this.selector?.follow(spec.runs);
    }
    this.toolbar.show();
    this.groupMenu?.show();
    this.redraw();
  }

  /** Which runs are listed, with the table's groups and cropping where those are shown. */
  private runsShown(): Record<string, unknown> {
    const { group, crop } = this.runsPart;
    return { ...this.selector?.query(), ...(group ? { group } : {}), ...(crop ? { crop } : {}) };
  }

  private keepRuns(runs: Record<string, unknown>): void {
    this.runsPart = runs;
    this.keeper.keep({ runs });
  }

  private toggleSelector(): void {
    const isNarrow = matchMedia("(width < 60rem)").matches;
    this.root.classList.toggle(isNarrow ? "is-selector-open" : "is-selector-closed");
    this.grid.each((card) => card.panel?.refresh());
  }
}
