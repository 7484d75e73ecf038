import { formatValue } from "./format";

/** A unit and its multiples: so many of the first unit are one of this name. */
interface Multiples {
  names: readonly string[];
  step: number;
  /** What one of the metric's unit is, in the first of the names. */
  base: number;
}

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;
const RATES = BYTES.map((name) => `${name}/s`);
const MULTIPLES: Record<string, Multiples> = {
  bytes: { names: BYTES, step: 1024, base: 1 },
  MiB: { names: BYTES, step: 1024, base: 1024 ** 2 },
  GiB: { names: BYTES, step: 1024, base: 1024 ** 3 },
  "bytes/s": { names: RATES, step: 1024, base: 1 },
  "MiB/s": { names: RATES, step: 1024, base: 1024 ** 2 },
  W: { names: ["W", "kW", "MW"], step: 1000, base: 1 },
  mW: { names: ["W", "kW", "MW"], step: 1000, base: 1e-3 },
  J: { names: ["J", "kJ", "MJ", "GJ"], step: 1000, base: 1 },
  mJ: { names: ["J", "kJ", "MJ", "GJ"], step: 1000, base: 1e-3 },
  "Mbit/s": { names: ["Mbit/s", "Gbit/s"], step: 1000, base: 1 },
};
const WITHOUT_WORD = new Set(["", "count"]);

/** A multiple of a unit that suits values of a size. */
export interface Unit {
  /** Written behind the number, with the space between; "" for plain numbers. */
  suffix: string;
  /** So much of the metric's unit is one of it. */
  factor: number;
}

/** Choose the multiple in which values up to `largest` are short. */
export function unitFor(unit: string, largest: number): Unit {
  const known = Object.hasOwn(MULTIPLES, unit) ? MULTIPLES[unit] : undefined;
  if (!known) return { suffix: WITHOUT_WORD.has(unit) ? "" : unit === "%" ? "%" : ` ${unit}`, factor: 1 };
  let [amount, place] = [Math.abs(largest) * known.base, 0];
  while (amount >= 1000 && place < known.names.length - 1) {
    amount /= known.step;
    place += 1;
  }
  return { suffix: ` ${known.names[place]}`, factor: known.step ** place / known.base };
}

/** A value with its unit: `1.21 GiB`, `97.5%`, `1,830 MHz`. */
export function formatUnit(value: number, unit: string): string {
  if (!unit || !Number.isFinite(value)) return formatValue(value);
  const { suffix, factor } = unitFor(unit, value);
  return `${formatValue(Number((value / factor).toPrecision(4)))}${suffix}`;
}
