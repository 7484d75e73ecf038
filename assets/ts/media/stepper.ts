import { debounce, make, makeIconButton } from "../lib/dom";
import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { StepPlace } from "./step-place";

/** Between two steps while it plays, milliseconds. */
const FRAME_MS = 400;

/** A slider that moves asks once, milliseconds. */
const REST_MS = 120;

/** Call `act` once steps have not been chosen for a moment. */
export function onceChosen(act: () => void): ReturnType<typeof debounce> {
  return debounce(act, REST_MS);
}

/** Chooses one of the logged steps: a slider, arrows, a player, and a field for its number. */
export class Stepper {
  readonly element = make("div", "media-slider");
  private readonly back = makeIconButton("chevron-left", word("stepBack"));
  private readonly slider = make("input");
  private readonly forward = makeIconButton("chevron-right", word("stepForward"));
  private readonly player = makeIconButton("play", word("play"));
  private readonly field = make("input", "form-control form-control-sm num");
  private steps: number[] = [];
  private readonly place = new StepPlace();
  private playing: number | undefined;

  constructor(private readonly moved: (step: number) => void) {
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", word("step"));
    this.slider.type = "range";
    this.slider.setAttribute("aria-label", word("step"));
    this.field.type = "number";
    this.field.setAttribute("aria-label", word("goToStep"));
    this.field.title = word("goToStep");
    this.player.setAttribute("aria-pressed", "false");
    this.back.addEventListener("click", () => this.by(-1));
    this.forward.addEventListener("click", () => this.by(1));
    this.player.addEventListener("click", () => (this.playing === undefined ? this.play() : this.stop()));
    this.slider.addEventListener("input", () => this.moveTo(Number(this.slider.value)));
    this.field.addEventListener("change", () => this.goTo(Number(this.field.value)));
    this.element.append(this.back, this.slider, this.forward, this.player, this.field);
  }

  /** The step that is chosen; undefined while nothing is logged. */
  get step(): number | undefined {
    return this.place.step;
  }

  get isNewest(): boolean {
    return this.place.isNewest;
  }

  /** Take the steps there are, rising; what was chosen stays, and the newest stays the newest. */
  offer(steps: number[]): void {
    this.steps = steps;
    this.place.offer(steps);
    this.show();
  }

  /** Choose the last step that is not after this one; those that hear of moves are told. */
  goTo(step: number): void {
    this.follow(step);
    this.tell();
  }

  /** The same without telling anyone. */
  follow(step: number): void {
    this.place.goTo(step);
    this.show();
  }

  by(count: number): void {
    this.moveTo(this.place.at + count);
  }

  stop(): void {
    clearInterval(this.playing);
    this.playing = undefined;
    this.player.setAttribute("aria-pressed", "false");
  }

  private play(): void {
    if (this.isNewest) this.moveTo(0);
    this.player.setAttribute("aria-pressed", "true");
    this.playing = window.setInterval(() => {
      this.by(1);
      if (this.isNewest) this.stop();
    }, FRAME_MS);
  }

  private moveTo(place: number): void {
    this.place.moveTo(place);
    this.show();
    this.tell();
  }

  private tell(): void {
    if (this.step !== undefined) this.moved(this.step);
  }

  private show(): void {
    const { step, at } = this.place;
    this.element.hidden = this.steps.length < 2;
    this.slider.max = String(Math.max(0, this.steps.length - 1));
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", word("stepNumber", { n: formatCount(step ?? 0) }));
    this.field.min = String(this.steps[0] ?? 0);
    this.field.max = String(this.steps.at(-1) ?? 0);
    this.field.step = "any";
    this.field.value = step === undefined ? "" : String(step);
    this.back.disabled = at === 0;
    this.forward.disabled = this.isNewest;
  }
}
