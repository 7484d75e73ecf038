/** What is looked for, as the browser's own expression, to mark hits; null where the two differ too much. */
export function needleOf(text: string, isRegex: boolean, isExact: boolean): RegExp | null {
  try {
    const source = isRegex ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    return new RegExp(source, isExact ? "gu" : "giu");
  } catch {
    return null;
  }
}
