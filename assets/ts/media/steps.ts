import { make, makeIcon, makeIconButton } from "../lib/dom";
import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { lastAtMost } from "../logs/rows";

/** A slider that moves asks once, milliseconds. */
const PAUSE_MS = 120;
/** While it plays, a step is shown this long, milliseconds. */
const PLAY_MS = 700;

/** Chooses one of the steps at which something was logged: by a slider, a number that is typed, or by playing them. */
export class StepSlider {
  readonly element = make("div", "panel-steps");
  private steps: number[] = [];
  /** Infinity follows the newest step. */
  private place = Number.POSITIVE_INFINITY;
  private timer: number | undefined;
  private playing: number | undefined;
  private readonly slider = make("input");
  private readonly number = make("input", "form-control form-control-sm num");
  private readonly play = makeIconButton("play", word("playSteps"));

  /** @param moved - Called once the slider rests at another step. */
  constructor(private readonly moved: () => void) {
    this.slider.type = "range";
    this.slider.setAttribute("aria-label", word("step"));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.number.type = "number";
    this.number.title = word("goToStep");
    this.number.setAttribute("aria-label", word("goToStep"));
    this.number.addEventListener("change", () => this.goTo(Number(this.number.value)));
    this.play.addEventListener("click", () => (this.playing === undefined ? this.start() : this.stop()));
    this.element.append(this.play, this.slider, make("span", "muted", word("step")), this.number);
    this.element.hidden = true;
  }

  /** The step chosen; undefined while there is none. */
  get step(): number | undefined {
    return this.steps[Math.min(this.place, this.steps.length - 1)];
  }

  /** Whether it stays at the newest step as more are logged. */
  get isNewest(): boolean {
    return this.place >= this.steps.length - 1;
  }

  /** Take the steps that there are, rising. */
  offer(steps: number[]): void {
    this.steps = steps;
    this.element.hidden = steps.length < 2;
    this.slider.max = String(Math.max(0, steps.length - 1));
    this.draw();
  }

  /** Go to the last step at or before a number. */
  goTo(step: number): void {
    this.go(Math.max(0, lastAtMost(this.steps, step)));
  }

  destroy(): void {
    clearTimeout(this.timer);
    clearInterval(this.playing);
  }

  private go(place: number): void {
    this.place = place >= this.steps.length - 1 ? Number.POSITIVE_INFINITY : place;
    this.draw();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(this.moved, PAUSE_MS);
  }

  private start(): void {
    if (this.isNewest) this.go(0);
    this.playing = window.setInterval(() => {
      this.go(this.place + 1);
      if (this.isNewest) this.stop();
    }, PLAY_MS);
    this.drawPlay("pause", word("pauseSteps"));
  }

  private stop(): void {
    clearInterval(this.playing);
    this.playing = undefined;
    this.drawPlay("play", word("playSteps"));
  }

  private drawPlay(icon: string, text: string): void {
    this.play.replaceChildren(makeIcon(icon));
    this.play.title = text;
    this.play.setAttribute("aria-label", text);
  }

  private draw(): void {
    const { step = 0 } = this;
    this.slider.value = String(Math.min(this.place, this.steps.length - 1));
    this.slider.setAttribute("aria-valuetext", `${word("step")} ${formatCount(step)}`);
    this.number.value = String(step);
  }
}
