import { formatDuration, formatMoment, formatTick, formatValue } from "../lib/format";
import { language } from "../lib/language";
import { unitFor } from "../lib/units";

/** What x stands for: decides where ticks lie and how places are written. */
export type Axis = "number" | "step" | "runtime" | "timestamp";

/** Maps values to pixels along one side of a plot. */
export interface Scale {
  min: number;
  max: number;
  log: boolean;
  /** Pixels of `min` and `max`; y has the larger first. */
  from: number;
  to: number;
  /** Draw values beyond the ends at the ends. */
  clamped?: boolean;
}

export interface Tick {
  value: number;
  text: string;
}

/** More ticks than this on one axis are harder to read, not easier. */
const MOST_TICKS = 20;
/** A logarithmic scale over less has even steps; over more, nothing between its powers of ten. */
const FEWEST_DECADES = 0.7;
const MOST_DECADES_WITH_MINOR = 4;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const CLOCK_STEPS = [
  1,
  2,
  5,
  10,
  15,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  5 * DAY,
  10 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY,
];
const dayText = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
const minuteText = new Intl.DateTimeFormat(language, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const secondText = new Intl.DateTimeFormat(language, { minute: "2-digit", second: "2-digit" });

/** Where `value` lies, pixels. */
export function toPixel(scale: Scale, value: number): number {
  const shown = scale.clamped ? Math.max(scale.min, Math.min(scale.max, value)) : value;
  const [min, max, at] = scale.log
    ? [Math.log10(scale.min), Math.log10(scale.max), Math.log10(shown)]
    : [scale.min, scale.max, shown];
  return scale.from + ((at - min) / (max - min || 1)) * (scale.to - scale.from);
}

/** Which value lies at a pixel. */
export function toValue(scale: Scale, pixel: number): number {
  const part = (pixel - scale.from) / (scale.to - scale.from || 1);
  if (!scale.log) return scale.min + part * (scale.max - scale.min);
  const [min, max] = [Math.log10(scale.min), Math.log10(scale.max)];
  return 10 ** (min + part * (max - min));
}

/** Ticks at round places, about one for each `space` pixels, and never more than `most`. */
export function ticksOf(scale: Scale, axis: Axis, space: number, most = MOST_TICKS): Tick[] {
  const count = Math.max(1, Math.min(most, Math.abs(scale.to - scale.from) / space));
  const found = ticksFor(scale, axis, count);
  return found.length <= most || count <= 1 ? found : ticksFor(scale, axis, count / 2);
}

function ticksFor(scale: Scale, axis: Axis, count: number): Tick[] {
  if (scale.log) return logTicks(scale, count);
  const raw = (scale.max - scale.min) / count;
  if (axis === "timestamp") return clockTicks(scale, clockStep(raw));
  if (axis === "runtime" && raw >= 0.5)
    return between(scale, clockStep(raw)).map((value) => ({ value, text: shortDuration(value) }));
  return evenTicks(scale, axis === "step" ? Math.max(1, niceStep(raw)) : niceStep(raw));
}

function evenTicks(scale: Scale, step: number): Tick[] {
  const values = between(scale, step);
  const largest = Math.max(...values.map(Math.abs), 0);
  return values.map((value) => ({ value, text: formatTick(value, largest, step) }));
}

/** Ticks at places that are round in a multiple of the unit, and written with it. */
export function unitTicks(scale: Scale, unit: string, space: number, most = MOST_TICKS): Tick[] {
  if (!unit) return ticksOf(scale, "number", space, most);
  const { suffix, factor } = unitFor(unit, Math.max(Math.abs(scale.min), Math.abs(scale.max)));
  const inUnit = { ...scale, min: scale.min / factor, max: scale.max / factor };
  return ticksOf(inUnit, "number", space, most).map(({ value, text }) => ({
    value: value * factor,
    text: `${text}${suffix}`,
  }));
}

/** Places of a logarithmic scale between its powers of ten, while there are few enough to be told apart. */
export function minorTicks(scale: Scale): number[] {
  const [low, high] = [Math.log10(scale.min), Math.log10(scale.max)];
  if (!scale.log || high - low > MOST_DECADES_WITH_MINOR || high - low < FEWEST_DECADES) return [];
  const places: number[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
    for (let part = 2; part < 10; part += 1) {
      const value = part * 10 ** power;
      if (value >= scale.min && value <= scale.max) places.push(value);
    }
  }
  return places;
}

/** Say where on x a value lies. */
export function placeText(axis: Axis, value: number): string {
  if (axis === "runtime")
    return value < 60 ? `${formatValue(Number(value.toFixed(2)))}s` : formatDuration(value);
  if (axis === "timestamp") return formatMoment(value);
  return formatValue(value);
}

/** The round step that is nearest to `raw`; D3's thresholds, geometric means of the steps at both sides. */
function niceStep(raw: number): number {
  if (!(raw > 0) || !Number.isFinite(raw)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const part = raw / power;
  return (part >= Math.sqrt(50) ? 10 : part >= Math.sqrt(10) ? 5 : part >= Math.sqrt(2) ? 2 : 1) * power;
}

/** The same for lengths of time, seconds. */
function clockStep(raw: number): number {
  const at = CLOCK_STEPS.findIndex((step, i) => raw <= Math.sqrt(step * (CLOCK_STEPS[i + 1] ?? Infinity)));
  return at < 0 || at === CLOCK_STEPS.length - 1 ? niceStep(raw / DAY) * DAY : (CLOCK_STEPS[at] as number);
}

function between(scale: Scale, step: number, shift = 0): number[] {
  const values: number[] = [];
  const first = Math.ceil((scale.min - shift) / step - 1e-9);
  for (let i = first; i * step + shift <= scale.max + step * 1e-9 && values.length < 60; i += 1) {
    values.push(Number((i * step + shift).toPrecision(14)));
  }
  return values;
}

function logTicks(scale: Scale, count: number): Tick[] {
  const [low, high] = [Math.log10(scale.min), Math.log10(scale.max)];
  const decades = high - low;
  if (decades < FEWEST_DECADES) return evenTicks(scale, niceStep((scale.max - scale.min) / count));
  const every = Math.max(1, Math.ceil(decades / count));
  const parts = decades * 3 <= count * 1.5 ? [1, 2, 5] : [1];
  const ticks: Tick[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += every) {
    for (const part of parts) {
      const value = part * 10 ** power;
      if (value >= scale.min * 0.999999 && value <= scale.max * 1.000001) {
        ticks.push({ value, text: formatTick(value) });
      }
    }
  }
  return ticks.length > 1 ? ticks : evenTicks(scale, niceStep((scale.max - scale.min) / count));
}

function clockTicks(scale: Scale, step: number): Tick[] {
  const shift = new Date(scale.min * 1000).getTimezoneOffset() * MINUTE;
  const text = step >= DAY ? dayText : step >= MINUTE ? minuteText : secondText;
  return between(scale, step, shift).map((value) => ({ value, text: text.format(new Date(value * 1000)) }));
}

function shortDuration(seconds: number): string {
  if (seconds === 0) return "0";
  return formatDuration(seconds)
    .replace(/(?:\s0+[hms])+$/, "")
    .replace(/ 0(\d)/g, " $1");
}
