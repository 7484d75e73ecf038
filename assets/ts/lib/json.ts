/** A string, or one of the bare words for numbers that Python writes and JSON does not know. */
const STRING_OR_WORD = /"(?:\\.|[^"\\])*"|-?\b(?:NaN|Infinity)\b/g;

/** Parse JSON as Python writes it: NaN and infinities become what `replaced` makes of them. Throws a SyntaxError. */
export function readJson(text: string, replaced: (word: string) => string = () => "null"): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const clean = text.replace(STRING_OR_WORD, (found) => (found.startsWith('"') ? found : replaced(found)));
    return JSON.parse(clean);
  }
}
