import { writeTree } from "./filter/tree";

/** Which runs are chosen: some by their id, or all that match but some. */
export class ChosenRuns {
  private readonly picked = new Set<string>();
  /** Whether every run that matches is chosen, but those in `picked`. */
  private everything = false;

  get isEverything(): boolean {
    return this.everything;
  }

  /** The ids, when they were chosen one by one. */
  get uids(): string[] {
    return this.everything ? [] : [...this.picked];
  }

  /** How many are chosen where `total` match. */
  size(total: number): number {
    return this.everything ? Math.max(0, total - this.picked.size) : this.picked.size;
  }

  has(uid: string): boolean {
    return this.picked.has(uid) !== this.everything;
  }

  set(uid: string, isChosen: boolean): void {
    if (isChosen !== this.everything) this.picked.add(uid);
    else this.picked.delete(uid);
  }

  clear(): void {
    this.everything = false;
    this.picked.clear();
  }

  chooseAll(): void {
    this.everything = true;
    this.picked.clear();
  }

  /**
   * What names the chosen runs to the server (contract "Acts on many runs").
   *
   * @param query - What asks the server for the runs that match.
   */
  toParams(query: URLSearchParams): URLSearchParams {
    const ids = [...this.picked].join(","); // in one field: a form takes no more than 1,000
    if (!this.everything) return new URLSearchParams({ uid: ids });
    const params = new URLSearchParams(query);
    params.set("all", "1");
    if (ids) params.set("except", ids);
    return params;
  }

  /** The expression that the chosen runs, and no others, meet where `filter` is what all have to meet. */
  toFilter(filter: string): string {
    const ids = [...this.picked];
    if (!this.everything) return writeTree({ column: "id", operator: "in", value: ids });
    if (!ids.length) return filter;
    const others = writeTree({ column: "id", operator: "not in", value: ids });
    return filter ? `(${filter}) and ${others}` : others;
  }

  /** How the box of a group is drawn whose runs are known; one whose runs are not is ticked while all are chosen. */
  boxOf(uids: readonly string[]): BoxState {
    const count = uids.filter((uid) => this.has(uid)).length;
    const isChecked = uids.length ? count === uids.length : this.everything && !this.picked.size;
    return { isChecked, isPartly: count > 0 && !isChecked };
  }

  /** How the box of all runs is drawn. */
  boxOfAll(total: number): BoxState {
    const size = this.size(total);
    const isChecked = size > 0 && size === total;
    return { isChecked, isPartly: size > 0 && !isChecked };
  }
}

interface BoxState {
  isChecked: boolean;
  isPartly: boolean;
}
