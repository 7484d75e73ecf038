/** From low to high: purple, blue-green, amber (after viridis), told apart in every color blindness, 3:1 on the surface. */
const STOPS = [
  [68, 1, 84],
  [59, 82, 139],
  [24, 125, 125],
  [76, 150, 56],
  [190, 128, 0],
] as const;
const STOPS_DARK = [
  [140, 90, 210],
  [96, 130, 230],
  [50, 175, 180],
  [110, 215, 115],
  [250, 225, 80],
] as const;

/** The colour at a place from 0 to 1 in the theme on show, as `#rrggbb`. */
export function gradient(part: number): string {
  return colorAt(part, document.documentElement.dataset.bsTheme === "dark");
}

/** The colour at a place from 0 to 1, as `#rrggbb`. */
export function colorAt(part: number, isDark: boolean): string {
  const stops = isDark ? STOPS_DARK : STOPS;
  const at = Math.max(0, Math.min(1, part)) * (stops.length - 1);
  const first = Math.min(stops.length - 2, Math.floor(at));
  const [low, high] = [stops[first] as readonly number[], stops[first + 1] as readonly number[]];
  const mixed = low.map((value, i) => Math.round(value + ((high[i] as number) - value) * (at - first)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
