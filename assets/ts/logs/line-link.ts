/** Lines that an address names, first and last, from 0: `#L120` one, `#L120-L140` some; null where it names none. */
export function linesIn(hash: string, total: number): [first: number, last: number] | null {
  const wanted = /^#L(\d+)(?:-L(\d+))?$/.exec(hash);
  if (!wanted || !total) return null;
  const first = Math.min(total, Math.max(1, Number(wanted[1]))) - 1;
  const last = wanted[2] ? Math.min(total, Number(wanted[2])) - 1 : first;
  return [first, Math.max(first, last)];
}

/** The part of an address that names lines. */
export function linkTo(first: number, last: number): string {
  return first === last ? `#L${first + 1}` : `#L${first + 1}-L${last + 1}`;
}
