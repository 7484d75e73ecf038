import { entryOf } from "../lib/record";

/** This class of a mask, nearly always what is behind everything, is shown only when somebody asks for it. */
const BACKGROUND = 0;
const DEFAULT_OPACITY = 0.5;

/** How masks and boxes over the pictures of one key are shown: alike on all pictures, those of other runs too. */
export class Look {
  /** Names of classes by their numbers, by layer; only those that were seen. */
  readonly layers = new Map<string, Map<number, string>>();
  /** Those layers that are masks. */
  readonly masks = new Set<string>();
  /** The least and the greatest score of boxes, by the score's name. */
  readonly scores = new Map<string, [least: number, most: number]>();
  /** Boxes with lower scores are left out. */
  readonly least = new Map<string, number>();
  opacity = DEFAULT_OPACITY;
  private readonly hidden = new Set<string>();
  private readonly parts = new Set<WeakRef<Element>>();
  private readonly painters = new WeakMap<Element, () => void>();

  /** Paint an element now and after each change, for as long as it is kept. */
  follow(element: Element, paint: () => void): void {
    this.painters.set(element, paint);
    this.parts.add(new WeakRef(element));
    paint();
  }

  changed(): void {
    for (const part of this.parts) {
      const element = part.deref();
      if (element) this.painters.get(element)?.();
      else this.parts.delete(part);
    }
  }

  addLayer(layer: string, isMask: boolean): void {
    if (this.layers.has(layer)) return;
    this.layers.set(layer, new Map());
    if (isMask) this.masks.add(layer);
    this.changed();
  }

  /** Take in classes that a file has. */
  addClasses(layer: string, classes: ReadonlyMap<number, string>): void {
    const known = this.layers.get(layer) ?? new Map<number, string>();
    const added = [...classes].filter(([number]) => !known.has(number));
    if (!added.length) return;
    for (const [number, name] of added) {
      known.set(number, name);
      if (number === BACKGROUND && this.masks.has(layer)) this.hidden.add(idOf(layer, number));
    }
    this.layers.set(layer, new Map([...known].sort(([a], [b]) => a - b)));
    this.changed();
  }

  addScore(name: string, score: number): void {
    const [least, most] = this.scores.get(name) ?? [score, score];
    this.scores.set(name, [Math.min(least, score), Math.max(most, score)]);
  }

  shows(layer: string): boolean {
    return !this.hidden.has(layer);
  }

  /** Whether a class is switched on, even while its layer is off. */
  hasClass(layer: string, number: number): boolean {
    return !this.hidden.has(idOf(layer, number));
  }

  toggle(layer: string, number?: number): void {
    const id = number === undefined ? layer : idOf(layer, number);
    if (!this.hidden.delete(id)) this.hidden.add(id);
    this.changed();
  }

  /** Whether no score of a box is lower than what is asked for. */
  passes(scores: Readonly<Record<string, number>>): boolean {
    return [...this.least].every(
      ([name, least]) => (entryOf(scores, name) ?? Number.POSITIVE_INFINITY) >= least,
    );
  }
}

const looks = new Map<string, Look>();

export function lookOf(key: string): Look {
  const look = looks.get(key) ?? new Look();
  looks.set(key, look);
  return look;
}

function idOf(layer: string, number: number): string {
  return `${layer}\n${number}`;
}
