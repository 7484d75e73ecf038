import { Feed } from "../charts/feed";
import type { Kind, RunMessage } from "../charts/wire";
import { one, showPart, throttle } from "../lib/dom";
import { Patterns } from "../lib/patterns";
import { word } from "../lib/words";
import { Enlarged } from "../panels/enlarge";
import { Grid } from "../panels/grid";
import { Layout, type Section } from "../panels/layout";
import { openMenu } from "../panels/menu";
import type { Panel, Stage } from "../panels/panel";
import { sectionsWithKeys } from "../panels/pattern";
import type { Runs } from "../panels/runs";
import { openSectionMenu } from "../panels/section-menu";
import type { PanelSpec, View } from "../panels/spec";
import { enableCropping, readCrop } from "../table/crop";
import { enableSavedViews } from "../views/page";
import { GroupMenu } from "./group-menu";
import { History } from "./history";
import { HistoryButtons } from "./history-buttons";
import { Keeper, type KeptView } from "./keeper";
import { type Heads, LoggedKeys } from "./keys";
import { Live } from "./live";
import { offerFilter } from "./offer-filter";
import { OneRun } from "./one-run";
import { PanelActions } from "./panel-actions";
import { linkedPanel } from "./panel-link";
import { PanelSets } from "./panel-sets";
import { SectionActions, type SectionPage } from "./section-actions";
import { Selector } from "./selector";
import { enableSelectorToggle } from "./selector-toggle";
import { PageStage } from "./stage";
import { readStart, type Start } from "./start";
import { Toolbar } from "./toolbar";

/** How often live runs are asked for new keys, milliseconds; more for each run drawn. */
const KEYS_PAUSE_MS = 4000;
const KEYS_PAUSE_A_RUN_MS = 300;
/** Panels are arranged at most this often while patterns are matched, milliseconds. */
const PATTERNS_PAUSE_MS = 50;

/** Say that the view cannot be shown, and offer the page without one. */
export function showBroken(root: ParentNode, error: unknown): void {
  reportError(error);
  one("[data-reason]", root).textContent = error instanceof Error ? error.message : String(error);
  showPart(root, "broken");
}

/** A page of panels over the runs drawn: a project's workspace, or the charts of one run. */
export class Workspace implements SectionPage {
  readonly root = one<HTMLElement>("[data-workspace]");
  readonly layout: Layout;
  readonly runs: Runs;
  readonly grid: Grid;
  private readonly isRunPage = this.root.dataset.page === "run";
  private readonly stage: PageStage;
  private readonly feed: Feed;
  private readonly keeper: Keeper;
  private readonly history: History<Start>;
  private readonly historyButtons: HistoryButtons;
  private readonly panelActions = new PanelActions(this);
  private readonly sectionActions = new SectionActions(this);
  private readonly enlarged: Enlarged;
  private readonly toolbar: Toolbar;
  private readonly live: Live;
  private readonly selector: Selector | undefined;
  private readonly showCropping: (() => void) | undefined;
  private readonly groupMenu: GroupMenu | undefined;
  private readonly keys: LoggedKeys;
  private readonly patterns = new Patterns(throttle(() => this.arrange(), PATTERNS_PAUSE_MS));
  private sections: Section[] = [];
  private linked = linkedPanel();
  private hasRead = false;
  private runsPart: Record<string, unknown>;

  constructor() {
    const { store = "runyard-workspace", part = "panels", kinds = "history" } = this.root.dataset;
    const urls = this.root.dataset as Stage["urls"];
    this.keys = new LoggedKeys(urls.keys, kinds.split(" ") as Kind[], this.isRunPage);
    this.keeper = new Keeper(this.root.dataset, store, part);
    const start: Start = { ...readStart(), ...this.keeper.recall() };
    this.runsPart = start.runs ?? {};
    this.layout = new Layout(
      start.panels ?? {},
      (panels) => this.keep({ panels }),
      () => this.defaults(),
    );
    this.feed = this.makeFeed(urls.series);
    this.selector = this.isRunPage ? undefined : this.makeSelector(start, urls.groups);
    if (this.selector) this.showCropping = this.cropping();
    this.runs = this.selector ?? new OneRun(this.root.dataset);
    this.stage = new PageStage({
      ...{ urls, isRunPage: this.isRunPage, layout: this.layout, runs: this.runs, selector: this.selector },
      ...{ feed: this.feed, keys: this.keys },
      point: (from, axis, x) => this.point(from, axis, x),
      arranged: () => this.sections,
      put: (spec) => this.put(spec),
    });
    this.grid = new Grid(one("[data-grid]"), this.stage, this.layout, {
      menu: (card, button) => openMenu(card, button, this.panelActions),
      enlarge: (card) => this.enlarged.open(card),
      edit: (card) => this.panelActions.edit(card),
      changed: () => this.arrange(),
      addTo: (section) => this.addTo(section),
      sectionMenu: (section, button) => openSectionMenu(section, this.sections, button, this.sectionActions),
    });
    this.enlarged = new Enlarged(this.stage, (card, places) => this.grid.neighborOf(card.spec.id, places));
    this.toolbar = new Toolbar(this.layout, () => this.redraw());
    if (this.selector) this.groupMenu = new GroupMenu(this.layout, urls.run, () => this.redraw());
    this.live = this.makeLive();
    this.history = new History<Start>(
      () => ({ panels: this.layout.state, selector: this.selector?.state ?? {}, runs: this.runsPart }),
      (state) => this.restore(state),
      () => this.historyButtons.show(),
    );
    this.historyButtons = new HistoryButtons(() => this.history);
    this.historyButtons.show();
  }

  begin(): void {
    this.listen();
    this.selector?.group(this.layout.view.groupBy);
    const { socket } = this.root.dataset;
    if (socket) this.live.open(socket);
    this.live.follow(this.runs.drawn().map(({ uid }) => uid));
    void this.readKeys();
  }

  /** Sections as they are arranged now. */
  arranged(): readonly Section[] {
    return this.sections;
  }

  generated(): readonly PanelSpec[] {
    return this.keys.panels();
  }

  axes(): readonly string[] {
    return this.keys.numeric("history");
  }

  addTo(section: Section): void {
    void this.add(section);
  }

  openEditor(spec: PanelSpec): void {
    void import("../panels/editor/dialog").then(({ openEditor }) => openEditor(spec, this.stage));
  }

  /** Put panels into their sections again; a view with which that fails is not shown. */
  arrange(): void {
    try {
      this.arrangeSections();
    } catch (error) {
      showBroken(this.root, error);
    }
  }

  private arrangeSections(): void {
    const arranged = this.layout.arrange(this.keys.panels());
    this.sections = sectionsWithKeys(arranged, (kind) => this.keys.numeric(kind), this.patterns);
    const shown = this.grid.show(this.sections, this.searched);
    const { problem, isWaiting } = this.grid.searched;
    const note = one<HTMLElement>("[data-no-match]");
    note.hidden = shown > 0 || !this.searched || isWaiting;
    note.textContent = word(problem === "patternSlow" ? problem : "noMatch", { text: this.searched });
    this.showState();
    this.showLinked();
  }

  redraw(): void {
    this.selector?.group(this.layout.view.groupBy);
    this.arrange();
    this.grid.refresh();
    this.enlarged.panel?.refresh();
  }

  /** Keep a panel as the editor left it. */
  private put(spec: PanelSpec): void {
    this.layout.put(spec);
    this.arrange();
  }

  private makeFeed(url: string): Feed {
    return new Feed({
      url,
      changed: (source, keys) => {
        this.grid.took(source, keys);
        this.enlarged.panel?.took?.(source, keys);
      },
      failed: (source, keys) => this.grid.failed(source, keys),
    });
  }

  private makeSelector(start: Start, groupsUrl: string): Selector {
    return new Selector({
      url: this.root.dataset.selector ?? "",
      groupsUrl,
      state: start.selector ?? {},
      save: (selector) => this.keep({ selector }),
      saveFilter: (filter) => this.keepRuns({ ...this.runsPart, filter }),
      stage: {
        table: (columns) => this.stage.table(columns),
        offered: () => this.stage.offered(),
      },
      changed: () => this.runsChanged(),
    });
  }

  private makeLive(): Live {
    return new Live({
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

  private cropping(): () => void {
    return enableCropping(
      one(".selector"),
      () => readCrop(this.runsPart.crop),
      (crop) => this.keepRuns({ ...this.runsPart, crop }),
    );
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

  private point(from: Panel, axis: string, x: number | null): void {
    this.grid.each((card) =>
      card.tell((panel) => {
        if (panel !== from) panel.pointed?.(axis, x);
      }),
    );
  }

  private async add(section?: Section): Promise<void> {
    const { blankPanel } = await import("../panels/editor/dialog");
    this.openEditor(blankPanel(section ?? this.sections[0]));
  }

  private runsChanged(): void {
    if (!this.live) return; // the selector tells once while it is made
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
      await this.keys.read(uids, (heads) => this.tookKeys(heads));
      this.hasRead = true;
      this.arrange();
    } catch {
      if (!this.hasRead) this.showState("error");
    }
  }

  /** Draw what a kind of keys brings; what others bring lies below it. */
  private tookKeys({ kind, next }: Heads): void {
    for (const [uid, head] of Object.entries(next)) this.feed.advance(kind, uid, head);
    if (!this.keys.haveFirst) return;
    this.toolbar.offerAxes(this.axes());
    this.arrange();
    this.grow();
  }

  /** Let the panels on show ask for what has come. */
  private grow(): void {
    const grow = (panel: Panel) => (panel.grew ? panel.grew() : panel.refresh());
    this.grid.each((card) => card.tell(grow));
    if (this.enlarged.panel) grow(this.enlarged.panel);
  }

  private readonly growSoon = throttle(() => this.grow(), KEYS_PAUSE_MS);

  private showState(wanted?: string): void {
    const isFull = this.sections.length > 0;
    const empty = this.layout.isManual ? "manual" : "empty";
    one<HTMLElement>(".view-menu [data-generate-panels]").hidden = !this.layout.isManual;
    one<HTMLElement>("[data-clear-panels]").hidden = this.layout.isManual;
    showPart(this.root, wanted ?? (isFull ? "full" : this.hasRead ? empty : "loading"));
  }

  /** Show the panel that the address names, once it is there. */
  private showLinked(): void {
    const linked = this.linked;
    const section = this.sections.find(({ panels }) => panels.some(({ id }) => id === linked?.id));
    if (!linked || !section) return;
    this.linked = null;
    if (!this.grid.cardOf(linked.id)) {
      this.layout.setOpen(section.name, true);
      this.arrange();
    }
    const card = this.grid.cardOf(linked.id);
    card?.reveal();
    if (card && linked.full) this.enlarged.open(card);
  }

  private listen(): void {
    const search = throttle(() => this.arrange(), 120);
    one("[data-page-search]").addEventListener("input", search);
    one("[data-retry-keys]").addEventListener("click", () => {
      this.showState("loading");
      void this.readKeys();
    });
    for (const button of this.root.querySelectorAll("[data-add-panel]"))
      button.addEventListener("click", () => void this.add());
    new PanelSets(this.layout, () => {
      this.runs.narrowing.clear();
      this.showChosen();
    });
    one("[data-add-section]").addEventListener("click", () => this.sectionActions.addBefore(null));
    enableSelectorToggle(this.root, () => this.grid.each((card) => card.tell((panel) => panel.refresh())));
    const filterBox = this.root.querySelector<HTMLInputElement>("[data-expression] input");
    if (this.selector && filterBox) offerFilter(filterBox, this.stage.urls.run, this.selector);
    enableSavedViews(this.keeper);
    document.addEventListener("run-message", (event) => {
      const message = (event as CustomEvent<RunMessage>).detail;
      this.live.take(message, this.runs.drawn()[0]?.uid);
    });
    document.addEventListener("run-connected", () => this.readKeysNow());
    document.addEventListener("paste", (event) => this.sectionActions.pasteText(event));
    addEventListener("hashchange", () => {
      this.linked = linkedPanel();
      this.showLinked();
    });
  }

  private showChosen(): void {
    this.toolbar.show();
    this.groupMenu?.show();
    this.redraw();
  }

  /** Show a step of the history; what is searched for is not of it. */
  private restore({ panels = {}, selector = {}, runs = {} }: Start): void {
    this.layout.replace(panels);
    this.selector?.replace(selector);
    if (runs !== this.runsPart) {
      this.keepRuns(runs);
      this.showCropping?.();
      void this.selector?.follow({ ...this.selector.query(), filter: runs.filter });
    }
    this.showChosen();
  }

  private keepRuns(runs: Record<string, unknown>): void {
    this.runsPart = runs;
    this.keep({ runs });
  }

  private keep(part: KeptView): void {
    this.keeper.keep(part);
    this.history?.changed();
  }
}
