import { lastAtMost } from "../logs/rows";

/** Which of the logged steps is chosen; the newest until somebody chooses another. */
export class StepPlace {
  private steps: readonly number[] = [];
  private place = Number.POSITIVE_INFINITY;

  /** The step that is chosen; undefined while nothing is logged. */
  get step(): number | undefined {
    return this.steps[this.at];
  }

  /** Its place among the steps. */
  get at(): number {
    return Math.max(0, Math.min(this.place, this.steps.length - 1));
  }

  get isNewest(): boolean {
    return this.at >= this.steps.length - 1;
  }

  /** Take the steps there are, rising; what was chosen stays, and the newest stays the newest. */
  offer(steps: number[]): void {
    const { step, isNewest } = this;
    this.steps = steps;
    this.place = isNewest || step === undefined ? Number.POSITIVE_INFINITY : lastAtMost(steps, step);
  }

  /** Choose the last step that is not after this one. */
  goTo(step: number): void {
    this.place = lastAtMost(this.steps, step);
  }

  moveTo(place: number): void {
    this.place = Math.max(0, place);
  }
}
