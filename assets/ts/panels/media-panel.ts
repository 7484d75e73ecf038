import { paint } from "../charts/palette";
import { make } from "../lib/dom";
import { runUrl } from "../lib/runs";
import { word } from "../lib/words";
import { draw } from "../media/draw";
import { forgetHeat } from "../media/histogram";
import { onceChosen, Stepper } from "../media/stepper";
import type { KeysReply } from "../media/wire";
import { LATEST, mediaAt, mediaKeys, mediaUrls } from "./media";
import { layersButton } from "./media-layers";
import { failure, note, skeleton } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";
import { joinSection, leaveSection, stepOf, tellSection } from "./step-sync";

/** While runs log, steps are looked for anew at most this often, milliseconds. */
const AGAIN_MS = 10_000;
/** Runs side by side; a button shows as many more. */
const AT_ONCE = 12;

/** One run's part of the panel: drawn once it is in view, at the step that was asked for last. */
class RunMedia {
  readonly element: HTMLElement;
  private readonly place = make("div", "media-body");
  private isInView = false;
  private step = LATEST;
  private shown: number | undefined;

  constructor(
    readonly run: RunInfo,
    private readonly key: string,
    private readonly stage: Stage,
    private readonly labels: KeysReply["class_labels"],
    private readonly goTo: (step: number) => void,
  ) {
    this.element = make("section", "run-media");
    paint(this.element, run.color);
    const name = make("a", "run-media-name");
    name.href = `${runUrl(stage.urls.run, run.uid)}/media#${encodeURIComponent(key)}`;
    name.append(make("i", "run-swatch"), make("span", "truncate", run.name));
    this.place.append(make("div", "skeleton media-wait"));
    this.element.append(name, this.place);
  }

  see(): void {
    this.isInView = true;
    void this.read();
  }

  move(step: number): void {
    if (step === this.step) return;
    this.step = step;
    if (this.isInView) void this.read();
  }

  private async read(): Promise<void> {
    const { step } = this;
    try {
      const found = await mediaAt(this.stage, this.run.uid, this.key, step);
      if (step !== this.step) return; // the slider has moved on
      if (found) this.show(found);
      else this.element.remove();
    } catch {
      this.shown = undefined;
      failure(this.place, () => void this.read());
    }
  }

  private show({ row, kind, value, step, files }: NonNullable<Awaited<ReturnType<typeof mediaAt>>>): void {
    if (row === this.shown) return;
    this.shown = row;
    const urls = mediaUrls(this.stage, this.run.uid);
    const { key, labels, goTo } = this;
    this.place.replaceChildren(draw(kind, { key, value, step, files, labels, urls, goTo }));
  }
}

/** What was logged under a key besides numbers, of every run shown, at the step that a slider chooses (RUN-26). */
class MediaPanel implements Panel {
  private most = AT_ONCE;
  private shownFor = "";
  private readAt = 0;
  private readonly moveSoon = onceChosen(() => this.move());
  private parts: RunMedia[] = [];
  private readonly stepper = new Stepper((step) => {
    tellSection(this.spec.section, this, this.stepper.isNewest ? LATEST : step);
    this.moveSoon();
  });
  private readonly grid = make("div", "panel-media");
  private readonly watcher: IntersectionObserver;

  constructor(
    private readonly body: HTMLElement,
    private readonly spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    this.grid.tabIndex = 0; // it scrolls
    this.watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        this.watcher.unobserve(target);
        this.parts.find(({ element }) => element === target)?.see();
      }
    });
    skeleton(body);
    joinSection(spec.section, this);
  }

  /** Another panel of the section has moved to a step. */
  stepped(step: number): void {
    this.stepper.follow(step);
    this.moveSoon();
  }

  refresh(): void {
    const wanted = this.runs.map(({ uid, name, color }) => `${uid}:${name}:${color}`).join(" ");
    if (wanted === this.shownFor) return;
    this.shownFor = wanted;
    void this.read(true);
  }

  grew(): void {
    if (performance.now() - this.readAt < AGAIN_MS) return;
    forgetHeat();
    void this.read(false);
  }

  destroy(): void {
    this.moveSoon.cancel();
    this.stepper.stop();
    leaveSection(this.spec.section, this);
    this.watcher.disconnect();
    this.body.replaceChildren();
  }

  private get key(): string {
    return this.spec.keys[0] ?? "";
  }

  private get runs(): RunInfo[] {
    return this.stage.runs.drawn();
  }

  /** Ask which runs have the key, and at which steps; `isNew` draws all of them anew. */
  private async read(isNew: boolean): Promise<void> {
    this.readAt = performance.now();
    const { runs, shownFor } = this;
    if (!runs.length) {
      note(this.body, word("noRunsDrawn"));
      return;
    }
    try {
      const asked = runs.slice(0, this.most);
      const replies = await Promise.all(asked.map(({ uid }) => mediaKeys(this.stage, uid)));
      if (shownFor !== this.shownFor) return;
      const steps = replies.map(({ keys }) => keys.find(({ key }) => key === this.key)?.steps ?? []);
      this.stepper.offer([...new Set(steps.flat())].sort((a, b) => a - b));
      this.stepper.follow(stepOf(this.spec.section) ?? this.stepper.step ?? LATEST);
      const having = asked.flatMap((run, n) => (steps[n]?.length ? [{ run, reply: replies[n] }] : []));
      const isSame = uidsOf(having) === uidsOf(this.parts);
      if (isNew || !isSame) this.lay(having, runs.length);
      this.move();
    } catch {
      if (!isNew) return; // what is shown stays, and is asked for again
      failure(this.body, () => {
        this.shownFor = "";
        this.refresh();
      });
    }
  }

  private lay(having: { run: RunInfo; reply: KeysReply | undefined }[], all: number): void {
    this.watcher.disconnect();
    const goTo = (step: number) => this.stepper.goTo(step);
    this.parts = having.map(
      ({ run, reply }) => new RunMedia(run, this.key, this.stage, reply?.class_labels ?? {}, goTo),
    );
    const tools = make("div", "panel-tools");
    tools.append(this.stepper.element, layersButton(this.key));
    this.grid.replaceChildren(...this.parts.map(({ element }) => element));
    this.grid.classList.toggle("is-single", this.parts.length === 1);
    if (!this.parts.length) this.grid.append(make("p", "chart-note", word("noMediaHere")));
    if (all > this.most) this.grid.append(this.moreButton());
    this.body.replaceChildren(tools, this.grid);
    const n = this.parts.length;
    const isAll = all <= this.most;
    if (!this.stage.isRunPage)
      this.head.say(isAll ? word("runsShown", { n }) : word("runsShownOf", { n, all }));
    for (const { element } of this.parts) this.watcher.observe(element);
  }

  private moreButton(): HTMLElement {
    const more = make("button", "btn btn-sm", word("moreRuns"));
    more.type = "button";
    more.addEventListener("click", () => {
      this.most += AT_ONCE;
      void this.read(true);
    });
    return more;
  }

  private move(): void {
    for (const part of this.parts) part.move(this.stepper.step ?? LATEST);
  }
}

function uidsOf(parts: readonly { run: RunInfo }[]): string {
  return parts.map(({ run }) => run.uid).join(" ");
}

export const makeMedia: MakePanel = (...given) => new MediaPanel(...given);
