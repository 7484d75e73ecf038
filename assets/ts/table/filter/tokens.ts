/** One piece of an expression, for colours and for completion; the server alone decides what is right. */
export interface Token {
  kind: "word" | "text" | "number" | "operator" | "bracket" | "space";
  text: string;
  from: number;
  to: number;
}

const PIECE =
  /(?<space>\s+)|(?<text>"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(?<bracket>[()[\],])|(?<operator><=|>=|!=|==|<>|[=<>≠≤≥])|(?<number>[-+]?\d[\w.:+-]*)|(?<word>(?:`(?:\\.|[^`\\])*`?|[^\s()[\],=<>≠≤≥!"'`])+|!)/gsy;
/** A text whose quote is closed: not by one behind a backslash. */
const CLOSED = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')$/s;

/** Cut an expression into pieces; together they are the whole text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const found of text.matchAll(PIECE)) {
    const [kind, piece] = Object.entries(found.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (kind === undefined || piece === undefined) continue;
    tokens.push({
      kind: kind as Token["kind"],
      text: piece,
      from: found.index,
      to: found.index + piece.length,
    });
  }
  return tokens;
}

/** What may stand at a place of an expression. */
export interface Place {
  wants: "column" | "operator" | "value" | "null" | "joiner";
  /** The column that is compared here. */
  column: string;
  inList: boolean;
  /** What is typed of it so far, and where it stands. */
  typed: string;
  from: number;
  to: number;
}

/** Say what may stand at `caret`. */
export function placeAt(text: string, caret: number): Place {
  const tokens = tokensOf(text.slice(0, caret));
  const last = tokens.at(-1);
  const open = last && !isDone(last) ? last : undefined;
  const place: Place = { wants: "column", column: "", inList: false, typed: "", from: caret, to: caret };
  for (const token of tokens) {
    if (token !== open && token.kind !== "space") step(place, token);
  }
  if (open) Object.assign(place, { typed: open.text, from: open.from });
  return place;
}

function isDone({ kind, text }: Token): boolean {
  if (kind === "text") return CLOSED.test(text);
  return kind === "space" || kind === "bracket" || kind === "operator";
}

function step(place: Place, token: Token): void {
  const low = token.text.toLowerCase();
  switch (place.wants) {
    case "column":
      if (token.kind === "bracket" || low === "not") return;
      place.column = token.text;
      place.wants = "operator";
      return;
    case "operator":
      if (low === "not") return;
      place.wants = low === "is" ? "null" : "value";
      return;
    case "null":
      if (low !== "not") place.wants = "joiner";
      return;
    case "value":
      if (low === "[") place.inList = true;
      else if (low === "]" || !place.inList) {
        place.inList = false;
        place.wants = "joiner";
      }
      return;
    default:
      if (low === "and" || low === "or") place.wants = "column";
  }
}

const KEYWORDS = new Set(["and", "or", "not", "in", "is", "null", "contains", "matches", "true", "false"]);

/** A piece as it is coloured. */
export interface ColouredPiece {
  text: string;
  kind: Token["kind"] | "keyword";
  isWrong: boolean;
}

/** The pieces of an expression for its colours; that at `wrongAt` is marked, a blank behind the text where it ends there. */
export function colouredPieces(text: string, wrongAt: number | null): ColouredPiece[] {
  const pieces = tokensOf(text).map((token): ColouredPiece => {
    const kind = token.kind === "word" && KEYWORDS.has(token.text.toLowerCase()) ? "keyword" : token.kind;
    const isWrong = wrongAt !== null && token.from <= wrongAt && wrongAt < token.to;
    return { text: token.text, kind, isWrong };
  });
  if (wrongAt !== null && wrongAt >= text.length) pieces.push({ text: " ", kind: "space", isWrong: true });
  return pieces;
}
