export type Rgb = [red: number, green: number, blue: number];
/** OKLab (Ottosson 2020): how far apart two colors look is their distance. */
type Lab = [lightness: number, greenRed: number, blueYellow: number];

/** Between the levels of red, green and blue that are tried. */
const STEP = 17;

/** The first colors, and after them as many as are wanted: each the farthest from all before it. */
export class DistinctColors {
  private readonly colors: Rgb[];
  private tried: { color: Rgb; lab: Lab; distance: number }[] | undefined;

  /** Further colors have a luminance from `darkest` to `brightest`, 0 to 1; they keep away from `others`, too. */
  constructor(
    private readonly first: readonly Rgb[],
    private readonly darkest: number,
    private readonly brightest: number,
    private readonly others: readonly Rgb[] = [],
  ) {
    this.colors = [...first];
  }

  at(place: number): Rgb {
    while (this.colors.length <= place) this.colors.push(this.next());
    return this.colors[place] as Rgb;
  }

  private next(): Rgb {
    this.tried ??= this.candidates();
    let farthest = this.tried[0];
    for (const one of this.tried) if (!farthest || one.distance > farthest.distance) farthest = one;
    if (!farthest) return this.first[0] ?? [0, 0, 0];
    const { color, lab } = farthest;
    for (const one of this.tried) one.distance = Math.min(one.distance, apart(one.lab, lab));
    return color;
  }

  private candidates() {
    const taken = [...this.first, ...this.others].map(labOf);
    const levels = Array.from({ length: 255 / STEP + 1 }, (_, at) => at * STEP);
    const all = levels.flatMap((red) =>
      levels.flatMap((green) => levels.map((blue): Rgb => [red, green, blue])),
    );
    return all
      .filter((color) => luminance(color) >= this.darkest && luminance(color) <= this.brightest)
      .map((color) => {
        const lab = labOf(color);
        return { color, lab, distance: Math.min(...taken.map((one) => apart(lab, one))) };
      });
  }
}

/** How far apart two colors look: 0.02 is the least that an eye sees, 1 is from black to white. */
export function distance(one: Rgb, other: Rgb): number {
  return apart(labOf(one), labOf(other));
}

/** How bright a color is, as contrasts are computed with: 0 to 1. */
export function luminance(color: Rgb): number {
  const [red, green, blue] = color.map(linear) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The parts of `#rrggbb` or `#rgb`. */
export function rgbOf(hex: string): Rgb {
  const digits = hex.length === 4 ? hex.replaceAll(/[\da-f]/gi, "$&$&") : hex;
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) || 0) as Rgb;
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function labOf(color: Rgb): Lab {
  const [red, green, blue] = color.map(linear) as Rgb;
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

function apart(one: Lab, other: Lab): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}
