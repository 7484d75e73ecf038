/** How a line is smoothed; semantics and formulas: RUN-27. */
export type SmoothingKind = "none" | "ema" | "time" | "gaussian" | "average";

export interface Smoothing {
  kind: SmoothingKind;
  /** `ema` and `time`: weight from 0 to 0.999; `gaussian`: standard deviation in points; `average`: points. */
  amount: number;
}

/** How many parts of the width of the chart the time-weighted average counts in. */
const VIEWPORT = 1000;

type Values = ArrayLike<number>;

/** Smooth a line; non-finite values are skipped and stay as they are. */
export function smoothed(x: Values, y: Values, { kind, amount }: Smoothing): Float64Array {
  if (kind === "none" || amount <= 0) return Float64Array.from(y);
  if (kind === "ema") return movingAverage(y, Math.min(0.9999, amount));
  if (kind === "time") return timeWeighted(x, y, Math.min(0.9999, amount));
  return windowed(y, kind === "gaussian" ? gaussian(amount) : new Float64Array(halfOf(amount) + 1).fill(1));
}

/**
 * Debiased exponential moving average, as TensorBoard draws it (RUN-27): m₀ = 0, mᵢ = α·mᵢ₋₁ + (1−α)·xᵢ,
 * shown mᵢ / (1−αⁱ).
 */
export function movingAverage(y: Values, weight: number): Float64Array {
  const shown = new Float64Array(y.length);
  let moving = 0;
  let bias = 1;
  for (let i = 0; i < y.length; i += 1) {
    const value = y[i] as number;
    if (!Number.isFinite(value)) {
      shown[i] = value;
      continue;
    }
    moving = weight * moving + (1 - weight) * value;
    bias *= weight;
    shown[i] = moving / (1 - bias);
  }
  return shown;
}

/** As the moving average, but points that lie farther apart on x weigh less on each other. */
function timeWeighted(x: Values, y: Values, amount: number): Float64Array {
  const weight = Math.min(Math.sqrt(amount), 0.999);
  const range = (x[x.length - 1] as number) - (x[0] as number) || 1;
  const shown = new Float64Array(y.length);
  let [moving, bias, before] = [0, 0, x[0] as number];
  for (let i = 0; i < y.length; i += 1) {
    const value = y[i] as number;
    if (!Number.isFinite(value)) {
      shown[i] = value;
      continue;
    }
    const kept = weight ** ((((x[i] as number) - before) / range) * VIEWPORT);
    before = x[i] as number;
    moving = moving * kept + value;
    bias = bias * kept + 1;
    shown[i] = moving / bias;
  }
  return shown;
}

function halfOf(points: number): number {
  return Math.max(0, Math.floor(points / 2));
}

/** One side of the bell, from its middle to three standard deviations. */
function gaussian(deviation: number): Float64Array {
  const half = Math.ceil(deviation * 3);
  return Float64Array.from({ length: half + 1 }, (_, i) => Math.exp(-(i * i) / (2 * deviation * deviation)));
}

/** Average each point with those on both sides; `half` gives the weights from the middle outwards. */
function windowed(y: Values, half: Float64Array): Float64Array {
  const shown = new Float64Array(y.length);
  for (let i = 0; i < y.length; i += 1) {
    if (!Number.isFinite(y[i] as number)) {
      shown[i] = y[i] as number;
      continue;
    }
    let [sum, weights] = [0, 0];
    for (let j = Math.max(0, i - half.length + 1); j < Math.min(y.length, i + half.length); j += 1) {
      const value = y[j] as number;
      if (!Number.isFinite(value)) continue;
      const weight = half[Math.abs(i - j)] as number;
      sum += value * weight;
      weights += weight;
    }
    shown[i] = sum / weights;
  }
  return shown;
}
