import { type Color, paint } from "../charts/palette";
import type { GroupsReply } from "../charts/wire";
import { announce } from "../lib/announce";
import { one, throttle } from "../lib/dom";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import type { RunGroup, RunInfo } from "../panels/runs";
import { cutsOf, groupsIn } from "./group-reply";
import { type GroupsState, isInside, ROOT, runToggled, toggled } from "./group-rules";

const REFRESH_PAUSE_MS = 1000;

export interface RunGroupsOptions {
  /** Of what is inside of a group; what is drawn is at `/runs` below it. */
  url: string;
  state(): GroupsState;
  /** Colours that somebody chose, by path. */
  colors(): Record<string, Color>;
  /** Which runs are listed. */
  query(): Record<string, string>;
  save(state: GroupsState): void;
  /** Other runs are drawn, or in other groups. */
  changed(): void;
  pickColor(path: string, button: HTMLElement): void;
}

const NONE: GroupsReply = { groups: [], runs: [], groupCount: 0, shownCount: 0, runCount: 0 };

/** The list of runs by groups: headings that open to groups of the next column, in the end to runs (RUN-23, RUN-26). */
export class RunGroups {
  private readonly box = one<HTMLElement>("[data-run-groups]");
  private readonly list = one<HTMLElement>("[data-group-rows]", this.box);
  private readonly flat = one<HTMLElement>("[data-run-lists]");
  private readonly opened = new Set<string>();
  private by: readonly string[] = [];
  private reply = NONE;
  private known: ReadonlyMap<string, RunGroup> = new Map();
  private reading: AbortController | undefined;

  constructor(private readonly options: RunGroupsOptions) {
    this.box.addEventListener("click", (event) => this.clicked(event.target as Element));
  }

  get isOn(): boolean {
    return this.by.length > 0;
  }

  /** Group by these columns; by none, the list is of runs again. */
  group(columns: readonly string[]): void {
    if (columns.join() === this.by.join()) return;
    this.by = columns;
    this.reply = NONE;
    this.opened.clear();
    this.list.replaceChildren();
    this.flat.hidden = this.isOn;
    this.box.hidden = !this.isOn;
    if (this.isOn) void this.read();
  }

  /** Runs of the groups that are drawn, in their groups' colours. */
  drawn(): RunInfo[] {
    const without = new Set(this.chosen.without);
    return this.reply.runs
      .filter(({ uid }) => !without.has(uid))
      .map(({ uid, name, state }) => ({ uid, name, state, color: this.known.get(uid)?.color ?? 0 }));
  }

  /** The groups of the runs drawn; undefined where other columns are asked for. */
  groupsBy(columns: readonly string[]): ReadonlyMap<string, RunGroup> | undefined {
    return this.isOn && columns.join() === this.by.join() ? this.known : undefined;
  }

  get count(): string {
    const { groups, groupCount } = this.reply;
    return word("groupsShown", { n: groups.length, of: groupCount });
  }

  /** What else is drawn of each run than its name: its group. */
  signature(): string {
    return this.isOn ? this.reply.runs.map(({ uid }) => this.known.get(uid)?.name).join("\n") : "";
  }

  showAll(): void {
    this.choose({ rules: {}, without: [] });
  }

  hideAll(): void {
    this.choose({ rules: { [ROOT]: false } });
  }

  readonly refresh = throttle(() => void this.read(), REFRESH_PAUSE_MS);

  /** Read the groups again: what is drawn, and what is listed as far as it was opened. */
  async read(): Promise<void> {
    if (!this.isOn) return;
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    const failed = one<HTMLElement>("[data-group-error]", this.box);
    try {
      const [reply, rows] = await Promise.all([this.readDrawn(reading), this.readRows(reading)]);
      if (reading.signal.aborted) return;
      failed.hidden = true;
      const focused = this.focused();
      this.list.replaceChildren(...rows.childNodes);
      this.take(reply);
      focused?.();
    } catch {
      if (!reading.signal.aborted) failed.hidden = false;
    }
  }

  /** Show the colours that are chosen now. */
  recolor(): void {
    this.take(this.reply);
  }

  private get chosen(): GroupsState {
    const state = this.options.state();
    return state.by?.join() === this.by.join() ? state : {};
  }

  private choose(part: Omit<GroupsState, "by">): void {
    this.options.save({ ...this.chosen, ...part, by: [...this.by] });
    void this.read();
  }

  private query(more: Record<string, string> = {}): URLSearchParams {
    const query = new URLSearchParams({ ...this.options.query(), ...more });
    for (const column of this.by) query.append("group", column);
    return query;
  }

  private readDrawn(reading: AbortController): Promise<GroupsReply> {
    const query = this.query();
    for (const [path, isShown] of Object.entries(this.chosen.rules ?? {}))
      query.append(isShown ? "show" : "hide", path);
    return getJson<GroupsReply>(`${this.options.url}/runs?${query}`, reading.signal);
  }

  /** The headings, with what is inside of those that are open. */
  private async readRows({ signal }: AbortController): Promise<HTMLElement> {
    const rows = document.createElement("ul");
    await this.fill(rows, ROOT, this.list.children.length, signal);
    return rows;
  }

  private async fill(rows: HTMLElement, path: string, atLeast: number, signal?: AbortSignal): Promise<void> {
    await this.add(rows, path, 0, signal);
    while (rows.children.length < atLeast) {
      const more = rows.querySelector<HTMLElement>(":scope > [data-more]");
      if (!more) break;
      more.remove();
      await this.add(rows, path, Number(more.dataset.more), signal);
    }
    for (const group of rows.querySelectorAll<HTMLElement>(":scope > [data-group]")) {
      if (this.opened.has(group.dataset.group ?? "")) await this.open(group, signal);
    }
  }

  /** The server's rows, already escaped. */
  private async add(rows: HTMLElement, path: string, offset: number, signal?: AbortSignal): Promise<void> {
    const query = this.query({ path, offset: String(offset) });
    const reply = await fetch(`${this.options.url}?${query}`, signal ? { signal } : {});
    if (!reply.ok) throw new Error(`groups: status ${reply.status}`);
    rows.insertAdjacentHTML("beforeend", await reply.text());
  }

  private async open(group: HTMLElement, signal?: AbortSignal): Promise<void> {
    const { group: path = ROOT } = group.dataset;
    const inside = one<HTMLElement>("[data-inside]", group);
    await this.fill(inside, path, this.shownIn(path), signal);
    inside.hidden = false;
    one("[data-open-group]", group).setAttribute("aria-expanded", "true");
    this.opened.add(path);
  }

  private shownIn(path: string): number {
    const group = this.list.querySelector(`[data-group="${CSS.escape(path)}"] > [data-inside]`);
    return group?.children.length ?? 0;
  }

  private close(group: HTMLElement): void {
    const inside = one<HTMLElement>("[data-inside]", group);
    inside.replaceChildren();
    inside.hidden = true;
    one("[data-open-group]", group).setAttribute("aria-expanded", "false");
    this.opened.delete(group.dataset.group ?? "");
  }

  private take(reply: GroupsReply): void {
    this.reply = reply;
    this.known = groupsIn(reply, this.options.colors());
    const cuts = cutsOf(reply);
    const note = one<HTMLElement>("[data-group-note]", this.box);
    note.textContent = cuts.join(" ");
    note.hidden = !cuts.length;
    one<HTMLElement>("[data-no-group]", this.box).hidden = reply.groupCount > 0;
    this.mark();
    this.options.changed();
  }

  /** Mark what is drawn, in its colour. */
  private mark(): void {
    const drawn = this.reply.groups.map(({ path }) => path);
    const colors = new Map([...this.known.values()].map(({ path, color }) => [path, color]));
    const without = new Set(this.chosen.without);
    for (const group of this.list.querySelectorAll<HTMLElement>("[data-group]")) {
      const { group: path = ROOT } = group.dataset;
      const isDrawn = drawn.some((leaf) => isInside(leaf, path));
      press(group.querySelector(".run-group-head"), isDrawn, colors.get(path));
      for (const row of group.querySelectorAll<HTMLElement>(":scope > [data-inside] > [data-uid]"))
        press(row, isDrawn && !without.has(row.dataset.uid ?? ""), colors.get(path));
    }
  }

  private clicked(target: Element): void {
    const group = target.closest<HTMLElement>("[data-group]");
    const more = target.closest<HTMLElement>("[data-more-inside]");
    const row = target.closest<HTMLElement>("[data-uid]");
    if (more) void this.showMore(more, group?.dataset.group ?? ROOT);
    if (!group) return;
    const { group: path = ROOT } = group.dataset;
    if (target.closest("[data-open-group]")) void this.turn(group);
    else if (target.closest("[data-swatch]"))
      this.options.pickColor(path, target.closest("[data-swatch]") as HTMLElement);
    else if (target.closest("[data-only]")) this.choose({ rules: { [ROOT]: false, [path]: true } });
    else if (target.closest("[data-eye]")) this.look(path, row?.dataset.uid);
  }

  /** Draw or hide a group, or one run of it. */
  private look(path: string, uid: string | undefined): void {
    const isDrawn = this.reply.groups.some((leaf) => isInside(leaf.path, path));
    const { chosen } = this;
    if (uid === undefined) this.choose({ rules: toggled(chosen.rules ?? {}, path, isDrawn) });
    else this.choose(runToggled(chosen, path, uid, isDrawn));
  }

  private async turn(group: HTMLElement): Promise<void> {
    const button = one<HTMLElement>("[data-open-group]", group);
    if (button.getAttribute("aria-expanded") === "true") {
      this.close(group);
      return;
    }
    try {
      await this.open(group);
      this.mark();
      announce(word("groupOpened", { name: button.getAttribute("aria-label") ?? "" }));
    } catch {
      this.close(group);
      one<HTMLElement>("[data-group-error]", this.box).hidden = false;
    }
  }

  private async showMore(button: HTMLElement, path: string): Promise<void> {
    const row = button.closest<HTMLElement>("[data-more]");
    const rows = row?.parentElement;
    if (!row || !rows) return;
    const place = rows.children.length - 1;
    row.remove();
    try {
      await this.add(rows, path, Number(row.dataset.more));
      this.mark();
      rows.children[place]?.querySelector<HTMLElement>("button")?.focus();
    } catch {
      rows.append(row);
    }
  }

  /** What puts the focus back to where it is in the list. */
  private focused(): (() => void) | undefined {
    const active = document.activeElement;
    if (!active || !this.list.contains(active)) return undefined;
    const row = active.closest<HTMLElement>("[data-uid], [data-group]");
    const { uid, group } = row?.dataset ?? {};
    const owner =
      uid === undefined ? `[data-group="${CSS.escape(group ?? "")}"]` : `[data-uid="${CSS.escape(uid)}"]`;
    const part = ["data-eye", "data-open-group", "data-swatch", "data-only"].find((name) =>
      active.hasAttribute(name),
    );
    return () => this.list.querySelector<HTMLElement>(`${owner} ${part ? `[${part}]` : "a"}`)?.focus();
  }
}

function press(row: HTMLElement | null, isDrawn: boolean, color: Color | undefined): void {
  if (!row) return;
  if (color !== undefined) paint(row, color);
  row.classList.toggle("is-hidden", !isDrawn);
  row.querySelector("[data-eye]")?.setAttribute("aria-pressed", String(isDrawn));
}
