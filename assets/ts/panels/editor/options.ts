/** The options that have every word of what is typed. */
export function fitting(options: readonly string[], typed: string): string[] {
  const words = typed.trim().toLowerCase().split(/\s+/);
  return options.filter((name) => words.every((one) => name.toLowerCase().includes(one)));
}

/**
 * The name that Enter adds: the one typed, else the first that begins so, else the first that fits.
 * @param found - The options that fit, as they are listed.
 * @returns undefined where the name typed is chosen already, or none fits.
 */
export function entered(
  typed: string,
  options: readonly string[],
  found: readonly string[],
  chosen: readonly string[],
): string | undefined {
  if (chosen.includes(typed)) return undefined;
  const isLeft = (name: string) => !chosen.includes(name);
  return (
    options.find((name) => name === typed) ??
    options.find((name) => isLeft(name) && name.startsWith(typed)) ??
    found.find(isLeft)
  );
}

/** The option that an arrow goes to from another one, around the ends; -1 is none. */
export function arrowTo(active: number, isDown: boolean, count: number): number {
  if (!count) return active;
  return (active + (isDown ? 1 : active < 0 ? 0 : -1) + count) % count;
}
