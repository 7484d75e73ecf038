/** Keys that were down at a click. */
type Keys = Pick<MouseEvent, "ctrlKey" | "metaKey" | "shiftKey">;

/** Lines that somebody picked out of a chart: these alone are drawn, while there are any. */
export class Isolation {
  private readonly ids = new Set<string>();

  has(id: string): boolean {
    return this.ids.has(id);
  }

  isDrawn(id: string): boolean {
    return !this.ids.size || this.ids.has(id);
  }

  /** Forget lines that are no longer there. */
  keepOnly(known: ReadonlySet<string>): void {
    for (const id of this.ids) if (!known.has(id)) this.ids.delete(id);
  }

  /** A click picks one line alone, with Ctrl or Shift it adds or takes one; another on the last one draws all. */
  pick(id: string, { ctrlKey, metaKey, shiftKey }: Keys): void {
    const wasPicked = this.ids.has(id);
    if (!ctrlKey && !metaKey && !shiftKey) {
      const wasAlone = wasPicked && this.ids.size === 1;
      this.ids.clear();
      if (!wasAlone) this.ids.add(id);
    } else if (wasPicked) this.ids.delete(id);
    else this.ids.add(id);
  }
}
