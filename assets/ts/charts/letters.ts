/** The width of most letters at axes, pixels. */
const LETTER = 6.3;
/** Of letters that fill a square, as those of Japanese and Korean do, pixels. */
const SQUARE = 11;
const SQUARES = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uff60]/u;

/** About how wide a text at an axis is, pixels; measuring each text would cost more than drawing it. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += SQUARES.test(letter) ? SQUARE : LETTER;
  return width;
}

/** Keep as much of a text's begin as `width` pixels hold. */
export function keepBegin(text: string, width: number): string {
  return cropped(text, width, (letters, most) => `${letters.slice(0, most).join("")}…`);
}

/** Keep as much of a name's end, which tells more than its begin, as `width` pixels hold. */
export function keepEnd(name: string, width: number): string {
  return cropped(name, width, (letters, most) => `…${letters.slice(letters.length - most).join("")}`);
}

function cropped(text: string, width: number, crop: (letters: string[], most: number) => string): string {
  if (widthOf(text) <= width) return text;
  const letters = [...text];
  let most = letters.length - 1;
  while (most > 1 && widthOf(crop(letters, most)) > width) most -= 1;
  return crop(letters, most);
}
