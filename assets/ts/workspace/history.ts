/** Changes within this time, milliseconds, are one: a slider tells of each place that it passes. */
const ONE_CHANGE_MS = 400;
const MOST_STEPS = 100;

/** What somebody kept, step by step, so that each step can be taken back and done again. */
export class History<T> {
  private past: T[] = [];
  private future: T[] = [];
  private changedAt = -Infinity;
  private isMuted = false;

  /**
   * @param read - What is kept now.
   * @param show - Show and keep another state.
   * @param told - Called when steps have come or gone.
   */
  constructor(
    private readonly read: () => T,
    private readonly show: (state: T) => void,
    private readonly told: () => void,
  ) {
    this.now = read();
  }

  private now: T;

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Something was kept. */
  changed(): void {
    if (this.isMuted) return;
    const at = performance.now();
    const isNew = at - this.changedAt > ONE_CHANGE_MS || !this.past.length;
    this.changedAt = at;
    if (isNew) this.past = [...this.past.slice(1 - MOST_STEPS), this.now];
    this.now = this.read();
    this.future = [];
    this.told();
  }

  undo(): boolean {
    return this.step(this.past, this.future);
  }

  redo(): boolean {
    return this.step(this.future, this.past);
  }

  private step(from: T[], to: T[]): boolean {
    const state = from.pop();
    if (state === undefined) return false;
    to.push(this.now);
    this.now = state;
    this.changedAt = -Infinity;
    this.isMuted = true;
    try {
      this.show(state);
    } finally {
      this.isMuted = false;
    }
    this.told();
    return true;
  }
}
