import { plainText } from "./ansi";
import type { Lines } from "./lines";

/**
 * Look through the whole log for `needle` (lower case), beginning after line `from` and going round.
 * Reads what is not in memory on the way; tells how much is done, 0 to 1. Null when there is no hit.
 */
export async function search(
  lines: Lines,
  needle: string,
  from: number,
  direction: 1 | -1,
  signal: AbortSignal,
  progress: (done: number) => void,
): Promise<number | null> {
  const { total } = lines;
  let n = wrapAround(from + direction, total);
  let looked = 0;
  while (looked < total && !signal.aborted) {
    const chunk = await lines.chunkOf(n).catch(() => []);
    const first = chunk[0]?.n;
    if (first === undefined || n - first >= chunk.length) return null;
    for (let i = n - first; i >= 0 && i < chunk.length && looked < total; i += direction) {
      if (
        plainText(chunk[i]?.text ?? "")
          .toLowerCase()
          .includes(needle)
      )
        return first + i;
      n = wrapAround(first + i + direction, total);
      looked += 1;
    }
    progress(looked / total);
  }
  return null;
}

function wrapAround(n: number, total: number): number {
  return ((n % total) + total) % total;
}
