/** Where a text has what is looked for: its first character, and how many. */
export type Hit = readonly [from: number, length: number];

/** A regular expression and the texts in which it is looked for. */
export interface Job {
  source: string;
  /** With `g` all hits in a text are found, else the first. */
  flags: string;
  texts: readonly string[];
}

/** The hits in each text; some patterns never end, so only a worker may call this. */
export function hitsOf({ source, flags, texts }: Job): Hit[][] {
  const pattern = new RegExp(source, flags);
  return texts.map((text) => {
    const found = pattern.global ? [...text.matchAll(pattern)] : [pattern.exec(text)];
    return found.flatMap((hit) => (hit ? [[hit.index, hit[0].length] as const] : []));
  });
}
