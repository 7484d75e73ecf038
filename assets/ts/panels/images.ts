import { make } from "../lib/dom";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { LATEST, mediaAt, stepsOf } from "./media";
import { failure, note, skeleton } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";

const PAUSE_MS = 120;

/** The pictures of a key of every run drawn, at the step that a slider chooses. */
class Images implements Panel {
  private steps: number[] = [];
  private place = Number.POSITIVE_INFINITY;
  private shownFor = "";
  private timer: number | undefined;
  private readonly slider = make("input");
  private readonly label = make("output", "num");
  private readonly pictures = make("div", "panel-images");

  constructor(
    private readonly body: HTMLElement,
    private readonly spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    this.pictures.tabIndex = 0; // it scrolls, and pictures take no focus
    skeleton(body);
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.setAttribute("aria-label", word("step"));
    this.slider.addEventListener("input", () => {
      this.place = Number(this.slider.value);
      this.name();
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.show(), PAUSE_MS);
    });
  }

  refresh(): void {
    const wanted = this.stage.runs
      .drawn()
      .map(({ uid }) => uid)
      .join(" ");
    if (wanted === this.shownFor) return;
    this.shownFor = wanted;
    void this.read();
  }

  destroy(): void {
    clearTimeout(this.timer);
    this.body.replaceChildren();
  }

  private get key(): string {
    return this.spec.keys[0] ?? "";
  }

  private async read(): Promise<void> {
    const runs = this.stage.runs.drawn();
    if (!runs.length) {
      note(this.body, word("noRunsDrawn"));
      return;
    }
    try {
      const all = await Promise.all(runs.map(({ uid }) => stepsOf(this.stage, uid, this.key)));
      this.steps = [...new Set(all.flat())].sort((a, b) => a - b);
      this.slider.max = String(Math.max(0, this.steps.length - 1));
      this.slider.value = String(Math.min(this.place, this.steps.length - 1));
      this.slider.disabled = this.steps.length < 2;
      this.name();
      await this.show();
    } catch {
      failure(this.body, () => {
        this.shownFor = "";
        this.refresh();
      });
    }
  }

  private get step(): number {
    return this.steps[Math.min(this.place, this.steps.length - 1)] ?? LATEST;
  }

  private name(): void {
    this.label.textContent = this.step === LATEST ? "" : `${word("step")} ${formatValue(this.step)}`;
  }

  private async show(): Promise<void> {
    const runs = this.stage.runs.drawn();
    const { step } = this;
    const found = await Promise.all(runs.map((run) => this.picturesOf(run, step).catch(() => null)));
    if (step !== this.step) return; // the slider has moved on
    this.pictures.replaceChildren(...found.filter((figure) => figure !== null));
    const tools = make("div", "panel-tools");
    tools.append(this.slider, this.label);
    if (!this.slider.isConnected) this.body.replaceChildren(tools, this.pictures);
    this.head.say(this.label.textContent ?? "");
  }

  private async picturesOf(run: RunInfo, step: number): Promise<HTMLElement | null> {
    const found = await mediaAt(this.stage, run.uid, this.key, step);
    if (!found) return null;
    const { value, files } = found;
    const many = Array.isArray(value.filenames) ? value.filenames : [value.path];
    const captions = Array.isArray(value.captions) ? value.captions : [value.caption];
    const figure = make("figure", `run-color-${run.color}`);
    const title = make("figcaption");
    title.append(make("i", "run-swatch"), make("span", "", run.name));
    const list = make("div", "panel-pictures");
    for (const [place, path] of many.entries()) {
      const url = typeof path === "string" ? files[path]?.url : undefined;
      if (!url) continue;
      const image = make("img");
      image.src = url;
      image.loading = "lazy";
      image.alt = typeof captions[place] === "string" ? captions[place] : `${run.name}, ${this.key}`;
      image.title = image.alt;
      list.append(image);
    }
    figure.append(list, title);
    return figure;
  }
}

export const makeImages: MakePanel = (...given) => new Images(...given);
