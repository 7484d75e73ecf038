import { language } from "./language";

const relative = new Intl.RelativeTimeFormat(language, { numeric: "always" });
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const exactTime = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
const clock = new Intl.DateTimeFormat(language, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hour12: false,
});
const dayAndClock = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });

/** A whole number with the separators of the document's language. */
export function formatCount(count: number): string {
  return count.toLocaleString(language);
}

/** Six significant figures, no trailing zeros; exponent when that is shorter. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return value.toLocaleString(language);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(4).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(6)));
}

const percents = new Intl.NumberFormat(language, { style: "percent", maximumSignificantDigits: 3 });

/** A share as a percentage of at most three significant figures: `12.5%`. */
export function formatPercent(share: number): string {
  return percents.format(share);
}

/** Four significant figures, zeros kept: values below each other are compared at a glance. */
export function formatShort(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 1e-4) return value.toExponential(2);
  if (Number.isInteger(value) || !(size < 9999.5)) return formatValue(Number(value.toPrecision(6)));
  return value.toPrecision(4);
}

const TICK_UNITS = [
  ["T", 1e12],
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e3],
] as const;

/**
 * Short text for an axis tick: `1.2k`, `30M`, `5e-5`.
 *
 * @param largest - The largest size on the axis; all its ticks share a unit.
 * @param step - The distance of two ticks: all have the decimals that tell them apart.
 */
export function formatTick(value: number, largest = Math.abs(value), step = 0): string {
  if (value === 0) return "0";
  if (largest < 1e-3) {
    const digits = step > 0 ? exponentOf(largest) - exponentOf(step) : 4;
    return value.toExponential(Math.max(0, Math.min(9, digits))).replace(/\.?0*e/, "e");
  }
  const unit = TICK_UNITS.find(([, size]) => largest >= 10 * size || (largest >= size && size > 1e3));
  const [suffix, factor] = unit ?? ["", 1];
  if (!(step > 0)) return `${Number((value / factor).toPrecision(5))}${suffix}`;
  return `${(value / factor).toFixed(Math.max(0, Math.min(12, -exponentOf(step / factor))))}${suffix}`;
}

function exponentOf(value: number): number {
  return Math.floor(Math.log10(value) + 1e-9);
}

/** A size in bytes, in binary units: `1.21 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let amount = bytes;
  let power = 0;
  while (Math.abs(amount) >= 1000 && power < units.length - 1) {
    amount /= 1024;
    power += 1;
  }
  return `${Number(amount.toPrecision(3))} ${units[power]}`;
}

/** A length of time given in seconds: `1h 02m 03s`; like the template filter of the same name. */
export function formatDuration(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const two = (n: number) => String(n).padStart(2, "0");
  const [s, m, h, d] = [
    total % 60,
    Math.floor(total / 60) % 60,
    Math.floor(total / 3600) % 24,
    Math.floor(total / 86400),
  ];
  if (d) return `${d}d ${two(h)}h ${two(m)}m`;
  if (h) return `${h}h ${two(m)}m ${two(s)}s`;
  if (m) return `${m}m ${two(s)}s`;
  return `${s}s`;
}

/** How long ago `moment` was, in one unit; the date when a month has passed. */
export function formatAgo(moment: Date, now: Date, justNow: string): string {
  const seconds = Math.floor((now.getTime() - moment.getTime()) / 1000);
  if (seconds < 0 || seconds >= 30 * 86400) return day.format(moment);
  if (seconds < 60) return justNow;
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), "minute");
  if (seconds < 86400) return relative.format(-Math.floor(seconds / 3600), "hour");
  return relative.format(-Math.floor(seconds / 86400), "day");
}

/** Date and time to the second with the viewer's zone. */
export function formatExact(moment: Date): string {
  return exactTime.format(moment);
}

/** Date and time to the second, short; `seconds` since 1970. */
export function formatMoment(seconds: number): string {
  return dayAndClock.format(new Date(seconds * 1000));
}

/** The viewer's time of day to the second. */
export function formatClock(moment: Date): string {
  return clock.format(moment);
}

const collator = new Intl.Collator(language, { numeric: true });

/** Compare names as people sort them: `layer2` before `layer10`. */
export function collate(a: string, b: string): number {
  return collator.compare(a, b);
}
