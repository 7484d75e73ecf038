import type { Source } from "../charts/feed";
import { pairOf } from "../charts/feed";
import { Legend } from "../charts/legend";
import type { Line } from "../charts/line";
import { LineChart } from "../charts/line-chart";
import { COLORS } from "../charts/palette";
import type { Picture } from "../charts/picture";
import type { DrawnLine, Look } from "../charts/plot";
import { type Smoothing, smoothed } from "../charts/smooth";
import { make } from "../lib/dom";
import { formatUnit } from "../lib/units";
import { word } from "../lib/words";
import { PanelAxis } from "./axis";
import { type Devices, Hardware, lineOf, rated } from "./devices";
import { grouped, type Member } from "./groups";
import { failure, noneDrawn, note, skeleton } from "./notes";
import type { Choice, Head, Panel, Stage } from "./panel";
import type { RunGroup, RunInfo } from "./runs";
import type { PanelSpec, View } from "./spec";

/** Zooms and changes of smoothing wait this long for the next, milliseconds. */
const ZOOM_PAUSE_MS = 60;
const SMOOTH_PAUSE_MS = 350;
/** While a run logs, what was smoothed over all points is asked for anew at most this often, milliseconds. */
const SMOOTH_AGAIN_MS = 10_000;

/** Lines of some keys of all runs drawn, over a choice of x (RUN-26, RUN-27). */
export class LinePanel implements Panel {
  private chart: LineChart | undefined;
  private legend: Legend | undefined;
  private range: [number, number] | null = null;
  private finer: Map<string, Line> | null = null;
  /** What `finer` was asked for; empty while it is of the range alone. */
  private finerOf = "";
  private readAt = 0;
  private reading: AbortController | undefined;
  private groupOf: ReadonlyMap<string, RunGroup> | null = null;
  private hasFailed = false;
  /** What the keys are, where they are system metrics. */
  private hardware: Hardware | null = null;
  private readonly axis: PanelAxis;

  constructor(
    private readonly body: HTMLElement,
    private spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
    this.axis = new PanelAxis(stage);
  }

  refresh(): void {
    this.findAxis();
    void this.readGroups();
    if (this.range) this.readFiner(ZOOM_PAUSE_MS);
    this.axis.ask(this.spec.keys);
    this.draw();
  }

  grew(): void {
    const isOther = this.findAxis();
    this.axis.ask(this.spec.keys); // a part of x that is on show finer stays as it is
    if (isOther) this.draw();
  }

  took(source: Source, keys: Set<string>): void {
    if (!this.concerns(source, keys)) return;
    this.hasFailed = false;
    this.findAxis();
    this.axis.ask(this.spec.keys);
    this.draw();
  }

  failed(source: Source, keys: Set<string>): void {
    if (!this.concerns(source, keys) || this.chart) return;
    this.hasFailed = true;
    failure(this.body, () => {
      this.hasFailed = false;
      skeleton(this.body);
      this.axis.ask(this.spec.keys);
    });
  }

  pointed(axis: string, x: number | null): void {
    if (axis === this.source.x || x === null) this.chart?.point(x);
  }

  destroy(): void {
    this.reading?.abort();
    this.chart?.destroy();
    this.chart = undefined;
    this.legend?.destroy();
    this.legend = undefined;
  }

  picture(): Picture | null {
    return this.chart?.picture() ?? null;
  }

  choices(): Choice[] {
    const { hardware, view } = this;
    const devices = hardware?.hasMany ? (["each", "node", "all"] as const) : [];
    const choices: Choice[] = devices
      .filter((name) => name !== view.devices)
      .map((name) => ({ icon: "layers", text: word(`devices_${name}`), part: { devices: name } }));
    if (hardware?.isCounter) {
      const text = word(view.totals ? "asRate" : "asTotal");
      choices.push({ icon: "activity", text, part: { totals: !view.totals } });
    }
    return choices;
  }

  csvAddress(): string {
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    return this.stage.feed.csvAddress(this.source, this.spec.keys, uids, this.range);
  }

  private get view(): View {
    return this.stage.layout.viewOf(this.spec);
  }

  private get source(): Source {
    return this.axis.source;
  }

  /** Look along what the lines are drawn; a part of another x that was on show says nothing there. */
  private findAxis(): boolean {
    const isOther = this.axis.find(this.spec);
    if (isOther) {
      this.dropFiner();
      this.chart?.point(null);
      if (this.range) this.head.zoomed(null);
      this.range = null;
    }
    return isOther;
  }

  private concerns(source: Source, keys: Set<string>): boolean {
    return this.axis.concerns(source) && this.spec.keys.some((key) => keys.has(key));
  }

  private draw(): void {
    this.askSmoothed();
    const members = this.members();
    if (!members || (!members.length && this.axis.isOpen)) {
      if (!this.chart && !this.hasFailed && !this.body.firstElementChild) skeleton(this.body);
      return; // nothing has come yet
    }
    if (!members.length) {
      this.destroy();
      this.head.say("");
      note(this.body, this.stage.runs.drawn().length ? word("noPoints") : noneDrawn(this.stage.runs));
      return;
    }
    const lines = this.drawnOf(members);
    const { look } = this;
    if (!this.chart) {
      this.body.replaceChildren();
      this.chart = new LineChart(this.body, look, {
        zoom: (range) => this.zoom(range),
        pointed: (x) => {
          this.legend?.point(x);
          this.stage.point(this, this.source.x, x);
        },
        axisName: () => this.axis.name,
      });
    }
    if (this.head.legend && !this.legend) {
      this.legend = new Legend(this.head.legend, () => this.draw());
      if (this.hardware?.hasMany) this.head.legend.prepend(this.devicesChoice());
    }
    this.legend?.show(lines, look.axis, this.axis.name, look.unit);
    const isolated = this.legend?.isolated;
    const drawn = isolated?.size ? lines.filter(({ id }) => isolated.has(id)) : lines;
    this.chart.show(drawn, look);
    const [only] = members;
    const last = members.length === 1 && only ? only.y[only.y.length - 1] : undefined;
    const said = last === undefined ? "" : formatUnit(last, look.unit);
    this.head.say(said);
    const about = said || word("linesShown", { n: drawn.length });
    const along = `${word("axisX")}: ${this.axis.title}`;
    this.chart.describe(`${this.spec.title}: ${about}. ${along}. ${word("chartKeys")}`);
  }

  /** The lines that have come, before smoothing; null while none has. */
  private members(): Member[] | null {
    const { keys } = this.spec;
    const found: Member[] = [];
    this.hardware = this.knownHardware();
    const asRate = this.isRate;
    let came = this.stage.runs.drawn().length === 0;
    for (const run of this.stage.runs.drawn()) {
      const spelt = new Set<string>(); // other spellings of a tag are one line
      for (const [place, key] of keys.entries()) {
        const held = this.stage.feed.get(this.source, key, run.uid);
        const finer = this.finer?.get(pairOf(key, run.uid));
        const line = finer ?? held;
        if (!line) continue;
        came = true;
        if (!line.length) continue;
        const metric = this.hardware?.about(key);
        if (metric && spelt.has(lineOf(metric))) continue;
        if (metric) spelt.add(lineOf(metric));
        const isOld = finer && held && !this.range && held.nextRow > finer.nextRow;
        const { x, last, low, high, smooth } = isOld
          ? finer.continuedBy(held, this.view.smoothing)
          : line.columns();
        const drawn = asRate ? { ...rated(x, last), low: null, high: null } : { x, y: last, low, high };
        const look = this.styleOf(key, place, run);
        const id = pairOf(key, run.uid);
        if (drawn.x.length) found.push({ id, uid: run.uid, run: run.name, key, ...look, ...drawn, smooth });
      }
    }
    return came ? found : null;
  }

  /** How a key's line is named and drawn. */
  private styleOf(key: string, place: number, run: RunInfo): Pick<Member, "label" | "color" | "dash"> {
    const { keys } = this.spec;
    const byKey = this.stage.isRunPage && keys.length > 1;
    const name = this.hardware?.label(key) ?? shortened(key, keys);
    const label = byKey ? name : keys.length > 1 ? `${run.name} · ${name}` : run.name;
    if (!byKey) return { label, color: run.color, dash: place };
    const { color, dash } = this.hardware?.style(key) ?? { color: place, dash: 0 };
    return { label, color: typeof run.color === "number" ? (run.color + color) % COLORS : color, dash };
  }

  /** What the keys are, when all of them are system metrics. */
  private knownHardware(): Hardware | null {
    if (this.spec.source !== "system") return null;
    const abouts = this.spec.keys.map((key) => [key, this.stage.about(key)] as const);
    const known = abouts.filter(
      (pair): pair is [string, NonNullable<(typeof pair)[1]>] => pair[1] !== undefined,
    );
    return known.length ? new Hardware(new Map(known)) : null;
  }

  private get isRate(): boolean {
    return (this.hardware?.isCounter ?? false) && !this.view.totals;
  }

  /** Beside an enlarged chart: a line for each device, or what they have together. */
  private devicesChoice(): HTMLElement {
    const select = make("select", "form-select form-select-sm");
    for (const name of ["auto", "each", "node", "all"] as const) {
      select.append(new Option(word(`devices_${name}`), name, false, name === this.view.devices));
    }
    select.setAttribute("aria-label", word("devices"));
    select.addEventListener("change", () => {
      const part = { devices: select.value as Devices };
      this.spec = { ...this.spec, ...part };
      this.head.keep(part);
      this.draw();
    });
    return select;
  }

  private drawnOf(members: Member[]): DrawnLine[] {
    const view = this.view;
    const devices = this.hardware?.chosen(view.devices, members) ?? "each";
    const apart =
      this.hardware && devices !== "each"
        ? this.hardware.together(members, devices, this.stage.isRunPage)
        : members;
    const { groupOf } = this;
    const lines = groupOf ? grouped(apart, groupOf, view.groupLine, view.groupBand) : null;
    const shown: (Member & { counts?: Uint16Array })[] = lines ?? apart;
    const isShaded = view.band || lines !== null;
    const isSmooth = view.smoothing.kind !== "none" && view.smoothing.amount > 0;
    return shown.map(({ id, label, color, dash, x, y, low, high, smooth, counts }) => ({
      ...{ id, label, color, dash, x },
      y: isSmooth ? (smooth ?? smoothed(x, y, view.smoothing)) : y,
      raw: isSmooth && view.original ? y : null,
      low: isShaded ? low : null,
      high: isShaded ? high : null,
      ...(lines && counts ? { group: { counts, band: view.groupBand } } : {}),
    }));
  }

  private get look(): Look {
    const view = this.view;
    const unit = this.hardware?.unit(this.isRate) ?? "";
    const clamped =
      unit === "%" && !view.logY && (this.spec.yMin ?? null) === null && (this.spec.yMax ?? null) === null;
    return {
      unit,
      clamped,
      axis: this.axis.scale,
      xName: this.axis.name,
      logX: view.logX,
      logY: view.logY,
      xMin: this.range?.[0] ?? null,
      xMax: this.range?.[1] ?? null,
      yMin: clamped ? 0 : (this.spec.yMin ?? null),
      yMax: clamped ? 100 : (this.spec.yMax ?? null),
      withoutOutliers: view.withoutOutliers,
    };
  }

  /** Show a part of x: what is here at once, then read finer. */
  private zoom(range: [number, number] | null): void {
    this.range = range;
    this.dropFiner();
    this.head.zoomed(range ? () => this.zoom(null) : null);
    this.draw();
    if (range) this.readFiner(ZOOM_PAUSE_MS);
  }

  private dropFiner(): void {
    this.finer = null;
    this.finerOf = "";
    this.reading?.abort();
  }

  /** How lines are smoothed over all their points: each by itself, and counters only once they are rates. */
  private get smoothing(): Smoothing | null {
    const { smoothing, groupBy } = this.view;
    const isOn = smoothing.kind !== "none" && smoothing.amount > 0;
    return isOn && !groupBy.length && this.spec.source === "history" ? smoothing : null;
  }

  /** What is drawn in buckets was smoothed over those for now: ask for it smoothed over all points. */
  private askSmoothed(): void {
    const { smoothing } = this;
    if (!smoothing) {
      if (this.finer && !this.range) this.dropFiner();
      return;
    }
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    const { keys } = this.spec;
    const isBucketed = (uid: string) => keys.some((key) => this.stage.feed.get(this.source, key, uid)?.low);
    if (!this.range && !uids.some(isBucketed)) return;
    const wanted = JSON.stringify([smoothing, this.range, uids]);
    const isNew = wanted !== this.finerOf;
    const hasGrown = () => uids.some((uid) => keys.some((key) => this.hasGrown(uid, key)));
    if (isNew) {
      for (const line of this.finer?.values() ?? []) line.smooth = null;
      this.finerOf = wanted;
      this.readFiner(SMOOTH_PAUSE_MS);
    } else if (performance.now() - this.readAt > SMOOTH_AGAIN_MS && hasGrown()) this.readFiner(0);
  }

  private hasGrown(uid: string, key: string): boolean {
    const [held, finer] = [this.stage.feed.get(this.source, key, uid), this.finer?.get(pairOf(key, uid))];
    return held !== undefined && finer !== undefined && held.nextRow > finer.nextRow;
  }

  private readFiner(pauseMs: number): void {
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    this.readAt = performance.now();
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    const { range, smoothing } = this;
    setTimeout(() => {
      if (reading.signal.aborted || !uids.length) return;
      const { keys } = this.spec;
      this.stage.feed.fine(this.source, keys, uids, { range, smoothing }, reading.signal).then(
        (lines) => {
          this.finer = lines;
          this.draw();
        },
        () => undefined, // what was there stays on show
      );
    }, pauseMs);
  }

  /** Find which groups the lines are of; until then, or where that fails, what was there stays. */
  private async readGroups(): Promise<void> {
    const { groupBy } = this.view;
    const wanted = JSON.stringify(groupBy);
    if (!groupBy.length || this.stage.isRunPage) this.groupOf = null;
    else {
      const groups = await this.stage.groups(groupBy).catch(() => null);
      if (!groups || wanted !== JSON.stringify(this.view.groupBy)) return;
      this.groupOf = groups;
      this.draw();
    }
  }
}

/** What tells a key apart from the others of its panel. */
function shortened(key: string, keys: readonly string[]): string {
  const label = /\/l:(.+)$/.exec(key)?.[1];
  if (label && keys.every((other) => other.replace(/\/l:.+$/, "") === key.replace(/\/l:.+$/, "")))
    return label;
  const first = keys[0] ?? "";
  let same = 0;
  while (same < first.length && keys.every((other) => other[same] === first[same])) same += 1;
  const slash = first.lastIndexOf("/", same - 1);
  return keys.length > 1 && slash > 0 ? key.slice(slash + 1) : key;
}
