/** Narrowest card, pixels, where the number of columns is not chosen; on wide pages cards are a fifth of it. */
const NARROWEST = 288;
const WIDE_NARROWEST = 400;
const GAP = 12;
/** Pages below this, pixels, have one column. */
const PHONE = 560;

/** How many cards fit side by side into so many pixels. */
export function fitting(width: number): number {
  if (width < PHONE) return 1;
  const narrowest = Math.max(NARROWEST, Math.min(WIDE_NARROWEST, width / 5));
  return Math.max(1, Math.floor((width + GAP) / (narrowest + GAP)));
}

interface Grid {
  /** Columns that fit side by side. */
  most: number;
  /** Columns that somebody chose; 0 is as many as fit. */
  chosen: number;
  /** Whether the cards stand in blocks, which break rows by themselves. */
  isGrouped: boolean;
}

/** Columns of a grid whose cards take so many columns each; none is wider than the page. */
export function columnsOf(spans: readonly number[], { most, chosen, isGrouped }: Grid): number {
  const total = widthOf(spans, most);
  return chosen || (isGrouped ? Math.max(1, Math.min(most, total)) : columnsFor(total, most));
}

/** Columns that cards take together, each of them at most `most`. */
export function widthOf(spans: readonly number[], most: number): number {
  return spans.reduce((sum, span) => sum + Math.min(most, span), 0);
}

/** Columns of a section: no more than it has cards, and where rows break, as few holes as may be. */
export function columnsFor(cards: number, most: number): number {
  if (cards <= most) return Math.max(1, cards);
  const holes = (columns: number) => (columns - (cards % columns)) % columns;
  let best = most;
  for (let columns = most - 1; columns >= most * 0.6; columns -= 1)
    if (holes(columns) < holes(best)) best = columns;
  return best;
}
