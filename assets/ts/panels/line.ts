import { Chips } from "../charts/chips";
import { drawNever, drawSoon } from "../charts/draws";
import type { Source } from "../charts/feed";
import type { DrawnLine, Look } from "../charts/frame";
import { HeatChart } from "../charts/heat-chart";
import { highlight, onHighlight } from "../charts/highlight";
import { Isolation } from "../charts/isolation";
import { Legend } from "../charts/legend";
import { LineChart } from "../charts/line-chart";
import type { Picture } from "../charts/picture";
import type { PointedChart } from "../charts/pointed-chart";
import type { Range, Zoom } from "../charts/zoom";
import { make } from "../lib/dom";
import { formatUnit } from "../lib/units";
import { word } from "../lib/words";
import { PanelAxis } from "./axis";
import { DEVICES, type Hardware, heatRows } from "./devices";
import { FinerLines } from "./finer";
import { grouped, type Member } from "./groups";
import { drawnOf, lookOf, smoothingOf } from "./line-look";
import { extentOf, extentOfLines, hardwareOf, membersOf } from "./line-members";
import { styled } from "./line-styles";
import { failure, noneDrawn, note, skeleton } from "./notes";
import type { Choice, Head, NamedLine, Panel, Stage } from "./panel";
import type { RunGroup } from "./runs";
import type { PanelSpec, View } from "./spec";
import { settledZoom } from "./zoom-bounds";
import { zooms } from "./zooms";

/** Lines of some keys of all runs drawn, over a choice of x (RUN-26, RUN-27). */
export class LinePanel implements Panel {
  private lines: readonly DrawnLine[] = [];
  private chart: PointedChart | undefined;
  private legend: Legend | undefined;
  private groupOf: ReadonlyMap<string, RunGroup> | null = null;
  private hasFailed = false;
  /** What the keys are, where they are system metrics. */
  private hardware: Hardware | null = null;
  private readonly axis: PanelAxis;
  private readonly finer: FinerLines;
  private readonly isolation = new Isolation();
  private readonly plot = make("div", "chart-plot");
  private readonly chips: Chips;
  private readonly endings: (() => void)[];

  constructor(
    private readonly body: HTMLElement,
    private spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
    this.axis = new PanelAxis(stage);
    this.finer = new FinerLines(stage, () => this.drawSoon());
    this.chips = new Chips(this.isolation, {
      changed: () => this.draw(),
      lift: (line) => this.lift(line),
      more: head.enlarge && (() => head.enlarge?.()),
    });
    this.endings = [
      onHighlight(this.highlighted),
      zooms.onChange(() => {
        if (this.chart) this.drawSoon();
      }),
    ];
  }

  refresh(): void {
    this.findAxis();
    void this.readGroups();
    this.axis.ask(this.spec.keys);
    this.draw();
  }

  grew(): void {
    const isOther = this.findAxis();
    this.axis.ask(this.spec.keys);
    if (isOther) this.draw();
  }

  took(source: Source, keys: Set<string>): void {
    if (!this.concerns(source, keys)) return;
    this.hasFailed = false;
    this.findAxis();
    this.axis.ask(this.spec.keys);
    this.drawSoon();
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
    if (axis === this.axis.id || x === null) this.chart?.point(x);
  }

  destroy(): void {
    drawNever(this);
    for (const end of this.endings) end();
    this.finer.drop();
    this.clear();
  }

  picture(): Picture | null {
    return this.chart?.picture() ?? null;
  }

  choices(): Choice[] {
    const { hardware, view } = this;
    const choices: Choice[] = (hardware?.hasMany ? DEVICES : [])
      .filter((name) => name !== view.devices && name !== "auto")
      .map((name) => ({ icon: "layers", text: word(`devices_${name}`), part: { devices: name } }));
    if (hardware?.isCounter) {
      const text = word(view.totals ? "asRate" : "asTotal");
      choices.push({ icon: "activity", text, part: { totals: !view.totals } });
    }
    return choices;
  }

  csvAddress(): string {
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    const x = this.spec.xExpression ? null : this.zoom.x;
    return this.stage.feed.csvAddress(this.source, this.spec.keys, uids, x && [...x]);
  }

  private get view(): View {
    return this.stage.layout.viewOf(this.spec);
  }

  private get source(): Source {
    return this.axis.source;
  }

  private get extent(): Range | null {
    if (this.spec.xExpression) return extentOfLines(this.lines);
    return extentOf(this.stage, this.source, this.spec.keys);
  }

  private get zoom(): Zoom {
    return zooms.of(this.spec.id, this.axis.id);
  }

  /** The part on show: one that ended at the newest point goes along. */
  private get part(): Zoom {
    return zooms.followed(this.spec.id, this.axis.id, this.extent?.[1] ?? Number.NaN);
  }

  private clear(): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.legend?.destroy();
    this.legend = undefined;
  }

  private readonly highlighted = (owner: string | null): void => {
    if (!this.stage.isRunPage) this.chart?.lift(owner && (this.groupOf?.get(owner)?.path ?? owner));
  };

  /** Let a line stand out here, and what is its run's in all other charts. */
  private lift(line: DrawnLine | null): void {
    this.chart?.lift(line?.id ?? null);
    highlight(line?.owner ?? null, this.highlighted);
  }

  /** Look along what the lines are drawn. */
  private findAxis(): boolean {
    const isOther = this.axis.find(this.spec);
    if (isOther) {
      this.finer.drop();
      this.chart?.point(null);
    }
    return isOther;
  }

  private concerns(source: Source, keys: Set<string>): boolean {
    return this.axis.concerns(source) && this.spec.keys.some((key) => keys.has(key));
  }

  /** Draw by itself. */
  private attempt(): void {
    try {
      this.draw();
    } catch (error) {
      if (!this.head.failed) throw error;
      this.head.failed(error);
    }
  }

  private drawSoon(): void {
    drawSoon(this, this.body, () => this.attempt());
  }

  private draw(): void {
    const { stage, spec, view, source, finer } = this;
    this.hardware = hardwareOf(stage, spec);
    const { x, follows } = this.zoom;
    const range = spec.xExpression ? null : x;
    const end = (follows && this.extent?.[1]) || -Infinity;
    finer.want({ source, keys: spec.keys, range, end, smoothing: smoothingOf(spec, view) });
    const members = membersOf(stage, { spec, view, source, hardware: this.hardware, finer });
    if (!members || (!members.length && this.axis.isOpen)) {
      if (!this.chart && !this.hasFailed && !this.body.firstElementChild) skeleton(this.body);
      return; // nothing has come yet
    }
    if (members.length) this.drawMembers(members);
    else {
      this.clear();
      this.head.say("");
      note(this.body, stage.runs.drawn().length ? word("noPoints") : noneDrawn(stage.runs));
    }
  }

  private drawMembers(members: Member[]): void {
    const lines = styled(this.drawnOf(members), this.spec);
    this.lines = lines;
    this.head.drew?.(lines);
    const { look } = this;
    const isHeat = this.isHeat(members);
    if (this.chart && this.chart instanceof HeatChart !== isHeat) this.clear();
    const chart = this.chart ?? this.begin(look, isHeat);
    this.isolation.keepOnly(new Set(lines.map(({ id }) => id)));
    if (this.legend) this.legend.show(lines, look.axis, this.axis.name, look.unit);
    else this.chips.show(isHeat ? [] : lines, look.unit, this.body.clientWidth);
    const drawn = lines.filter(({ id }) => this.isolation.isDrawn(id));
    const { part: zoom } = this;
    chart.show(drawn, look, zoom);
    this.head.zoomed(zoom.x || zoom.y ? () => this.zoomTo({ x: null, y: null }) : null);
    this.sayWhat(members, drawn.length, look.unit);
  }

  /** Whether each device is a row of a heat map. */
  private isHeat(members: readonly Member[]): boolean {
    const { hardware, view } = this;
    return hardware?.hasMany === true && !this.groupOf && hardware.chosen(view.devices, members) === "heat";
  }

  private begin(look: Look, isHeat: boolean): PointedChart {
    this.body.replaceChildren(this.plot);
    const Kind = isHeat ? HeatChart : LineChart;
    this.chart = new Kind(this.plot, look, {
      zoom: (zoom) => this.zoomTo(zoom),
      pointed: (x) => {
        this.legend?.point(x);
        this.stage.point(this, this.axis.id, x);
      },
      axisName: () => this.axis.name,
    });
    const { legend } = this.head;
    if (!legend) this.body.append(this.chips.box);
    else if (!this.legend) {
      this.legend = new Legend(
        legend,
        this.isolation,
        () => this.draw(),
        (line) => this.lift(line),
      );
      if (this.hardware?.hasMany) legend.prepend(this.devicesChoice());
    }
    return this.chart;
  }

  private sayWhat(members: Member[], count: number, unit: string): void {
    const [only] = members;
    const last = members.length === 1 && only ? only.y[only.y.length - 1] : undefined;
    const said = last === undefined ? "" : formatUnit(last, unit);
    this.head.say(said);
    const about = said || word("linesShown", { n: count });
    const along = `${word("axisX")}: ${this.axis.title}`;
    this.chart?.describe(`${this.spec.title}: ${about}. ${along}. ${word("chartKeys")}`);
  }

  /** Beside an enlarged chart: a line for each device, or what they have together. */
  private devicesChoice(): HTMLElement {
    const select = make("select", "form-select form-select-sm");
    for (const name of DEVICES) {
      select.append(new Option(word(`devices_${name}`), name, false, name === this.view.devices));
    }
    select.setAttribute("aria-label", word("devices"));
    select.addEventListener("change", () => {
      const part = { devices: select.value as (typeof DEVICES)[number] };
      this.spec = { ...this.spec, ...part };
      this.head.keep(part);
      this.draw();
    });
    return select;
  }

  private drawnOf(members: Member[]): (DrawnLine & NamedLine)[] {
    const { view, groupOf } = this;
    if (this.isHeat(members)) return heatRows(members, this.stage.runs.drawn());
    const devices = this.hardware?.chosen(view.devices, members) ?? "each";
    const apart =
      this.hardware && (devices === "node" || devices === "all")
        ? this.hardware.together(members, devices, this.stage.isRunPage)
        : members;
    const lines = groupOf ? grouped(apart, groupOf, view.groupLine, view.groupBand) : apart;
    return drawnOf(lines, view, groupOf);
  }

  private get look(): Look {
    const { view, spec, hardware } = this;
    const { scale, name } = this.axis;
    const unit = hardware?.unit(hardware.isCounter && !view.totals) ?? "";
    return lookOf(spec, view, this.part, { unit, scale, name });
  }

  /** Show a part: what is here at once, then read finer. */
  private zoomTo(zoom: Zoom): void {
    const settled = settledZoom(zoom, this.extent);
    zooms.set(this.spec.id, this.axis.id, settled, this.view.syncZoom);
    this.draw(); // at once: the next wheel or key goes on from here
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
      this.attempt();
    }
  }
}
