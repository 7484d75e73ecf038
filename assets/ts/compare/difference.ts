/** How a number differs from that of the baseline, as it is written beside it. */
export interface Difference {
  /** `↑ 0.12`; "" where there is no number to say. */
  text: string;
  /** ` 12%`; "" where the baseline is 0, or next to nothing is different. */
  share: string;
  /** Undefined where no direction is known. */
  isBetter: boolean | undefined;
}

/** Smaller shares would be written with a power of ten. */
const LEAST_PERCENT = 1e-6;

/** The difference of two numbers; `goal` is minimize or maximize where it is known. */
export function differenceOf(value: number, base: number, goal: string | undefined): Difference {
  const by = value - base;
  if (!Number.isFinite(by)) return { text: "", share: "", isBetter: undefined };
  const isUp = by > 0;
  const percent = Math.abs((by / base) * 100);
  return {
    text: `${isUp ? "↑" : "↓"} ${shortened(Math.abs(by))}`,
    share: Number.isFinite(percent) && percent >= LEAST_PERCENT ? ` ${plain(percent)}` : "",
    isBetter: goal ? isUp === (goal === "maximize") : undefined,
  };
}

/** Without a power of ten: 1.2e+3% reads as nothing. */
function plain(percent: number): string {
  const value = Number(percent.toPrecision(2));
  return `${value >= 100 ? Math.round(value) : value}%`;
}

function shortened(value: number): string {
  return String(Number(value.toPrecision(3)));
}
