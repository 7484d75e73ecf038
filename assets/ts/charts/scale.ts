import { formatDuration, formatMoment, formatTick, formatValue } from "../lib/format";
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
const language = document.documentElement.lang || "en";
const dayText = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
const minuteText = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hour12: false });
const secondText = new Intl.DateTimeFormat(language, { minute: "2-digit", second: "2-digit", hour12: false });

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

/** Ticks at round places, about one for each `space` pixels. */
export function ticksOf(scale: Scale, axis: Axis, space: number): Tick[] {
  const wanted = Math.max(1, Math.abs(scale.to - scale.from) / space);
  if (scale.log) return logTicks(scale, wanted);
  if (axis === "timestamp") return clockTicks(scale, wanted);
  const raw = (scale.max - scale.min) / wanted;
  if (axis === "runtime") {
    const step = CLOCK_STEPS.find((one) => one >= raw) ?? niceStep(raw / DAY) * DAY;
    if (raw >= 0.5) return between(scale, step).map((value) => ({ value, text: shortDuration(value) }));
  }
  const step = axis === "step" ? Math.max(1, niceStep(raw)) : niceStep(raw);
  const values = between(scale, step);
  const largest = Math.max(...values.map(Math.abs), 0);
  return values.map((value) => ({ value, text: formatTick(value, largest, step) }));
}

/** Ticks at places that are round in a multiple of the unit, and written with it. */
export function unitTicks(scale: Scale, unit: string, space: number): Tick[] {
  if (!unit) return ticksOf(scale, "number", space);
  const { suffix, factor } = unitFor(unit, Math.max(Math.abs(scale.min), Math.abs(scale.max)));
  const inUnit = { ...scale, min: scale.min / factor, max: scale.max / factor };
  return ticksOf(inUnit, "number", space).map(({ value, text }) => ({
    value: value * factor,
    text: `${text}${suffix}`,
  }));
}

/** Say where on x a value lies. */
export function placeText(axis: Axis, value: number): string {
  if (axis === "runtime")
    return value < 60 ? `${formatValue(Number(value.toFixed(2)))}s` : formatDuration(value);
  if (axis === "timestamp") return formatMoment(value);
  return formatValue(value);
}

function niceStep(raw: number): number {
  if (!(raw > 0) || !Number.isFinite(raw)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const part = raw / power;
  return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}

function between(scale: Scale, step: number, shift = 0): number[] {
  const values: number[] = [];
  const first = Math.ceil((scale.min - shift) / step - 1e-9);
  for (let i = first; i * step + shift <= scale.max + step * 1e-9 && values.length < 60; i += 1) {
    values.push(i * step + shift === 0 ? 0 : Number((i * step + shift).toPrecision(14)));
  }
  return values;
}

function logTicks(scale: Scale, wanted: number): Tick[] {
  const [low, high] = [Math.log10(scale.min), Math.log10(scale.max)];
  const decades = high - low;
  if (decades < 0.7) {
    return between(scale, niceStep((scale.max - scale.min) / wanted)).map((value) => ({
      value,
      text: formatTick(value),
    }));
  }
  const every = Math.max(1, Math.ceil(decades / wanted));
  const parts = decades * 3 <= wanted ? [1, 2, 5] : [1];
  const ticks: Tick[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += every) {
    for (const part of parts) {
      const value = part * 10 ** power;
      if (value >= scale.min * 0.999999 && value <= scale.max * 1.000001) {
        ticks.push({ value, text: formatTick(value) });
      }
    }
  }
  return ticks;
}

function clockTicks(scale: Scale, wanted: number): Tick[] {
  const raw = (scale.max - scale.min) / wanted;
  const step = CLOCK_STEPS.find((one) => one >= raw) ?? 365 * DAY;
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
