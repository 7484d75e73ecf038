export type Rgb = [red: number, green: number, blue: number];

/** Okabe and Ito's colours; a class has the one of its number. */
const PALETTE: Rgb[] = [
  [230, 159, 0],
  [86, 180, 233],
  [0, 158, 115],
  [240, 228, 66],
  [0, 114, 178],
  [213, 94, 0],
  [204, 121, 167],
  [120, 120, 140],
];

export function colorOf(number: number): Rgb {
  return PALETTE[number % PALETTE.length] ?? [120, 120, 140];
}
