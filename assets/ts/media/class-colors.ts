import { DistinctColors, type Rgb } from "../charts/distinct";

/** Okabe and Ito's colors, of the first classes. */
const FIRST: readonly Rgb[] = [
  [230, 159, 0],
  [86, 180, 233],
  [0, 158, 115],
  [240, 228, 66],
  [0, 114, 178],
  [213, 94, 0],
  [204, 121, 167],
  [120, 120, 140],
];
const NO_CLASS: Rgb = [120, 120, 140];
/** By custom the class of pixels that do not count. */
const IGNORED = 255;
const IGNORED_COLOR: Rgb = [204, 204, 210];
/** As many as a mask can have. */
const CLASSES = 256;
/** Captions of boxes are dark on them: 4.5:1 begins here. */
const DARKEST = 0.2;
/** As yellow is, on white. */
const BRIGHTEST = 0.75;

const colors = new DistinctColors(FIRST, DARKEST, BRIGHTEST, [IGNORED_COLOR]);

/** The color of a class by its number. */
export function colorOf(number: number): Rgb {
  if (!Number.isInteger(number) || number < 0) return NO_CLASS;
  return number === IGNORED ? IGNORED_COLOR : colors.at(number % CLASSES);
}
