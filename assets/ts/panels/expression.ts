/** A formula over logged keys, such as `log(${val/loss}) / 2`: parsed here and never run as a script. */
export interface Expression {
  /** The keys it reads, each once. */
  readonly keys: readonly string[];
  /** Its value where `read` says what each key is; NaN where one is missing. */
  at(read: (key: string) => number): number;
}

/** Where a formula cannot be read. */
export class ExpressionError extends Error {
  /** Which word says what is wrong, see panel_words.html. */
  readonly word: string;
  readonly text: string;

  constructor(word: string, text: string) {
    super(`${word}: ${text}`);
    this.word = word;
    this.text = text;
  }
}

type Value = (read: (key: string) => number) => number;

const FUNCTIONS: Record<string, (...values: number[]) => number> = {
  abs: Math.abs,
  log: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  exp: Math.exp,
  sqrt: Math.sqrt,
  min: Math.min,
  max: Math.max,
  sin: Math.sin,
  cos: Math.cos,
  pow: Math.pow,
};
/** How many values each function takes; undefined takes one or more. */
const TAKES: Record<string, number | undefined> = { min: undefined, max: undefined, pow: 2 };

const TOKEN =
  /\s*(?:(?<key>\$\{[^}]*\})|(?<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<sign>[-+*/^(),]))/y;
const LONGEST = 1000;
const DEEPEST = 64;

/** Read a formula; throws an ExpressionError where it is none. */
export function parseExpression(text: string): Expression {
  return new Parser(text.slice(0, LONGEST)).whole();
}

/** Read a formula; undefined where it is none. */
export function readExpression(text: string | undefined): Expression | undefined {
  try {
    return text ? parseExpression(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Descends by precedence: sums of products of powers; a minus binds looser than a power, as in `-2^2`. */
class Parser {
  private at = 0;
  private depth = 0;
  private readonly tokens: string[];
  private readonly keys = new Set<string>();

  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  whole(): Expression {
    const value = this.sum();
    if (this.next !== undefined) throw new ExpressionError("expressionUnexpected", this.next);
    return { keys: [...this.keys], at: value };
  }

  private get next(): string | undefined {
    return this.tokens[this.at];
  }

  private take(token: string): boolean {
    if (this.next !== token) return false;
    this.at += 1;
    return true;
  }

  private expect(token: string): void {
    if (this.take(token)) return;
    throw this.next === undefined
      ? new ExpressionError("expressionMissing", token)
      : new ExpressionError("expressionUnexpected", this.next);
  }

  private sum(): Value {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new ExpressionError("expressionUnexpected", "(");
    let left = this.product();
    for (;;) {
      if (this.take("+")) left = joined(left, this.product(), (a, b) => a + b);
      else if (this.take("-")) left = joined(left, this.product(), (a, b) => a - b);
      else break;
    }
    this.depth -= 1;
    return left;
  }

  private product(): Value {
    let left = this.signed();
    for (;;) {
      if (this.take("*")) left = joined(left, this.signed(), (a, b) => a * b);
      else if (this.take("/")) left = joined(left, this.signed(), (a, b) => a / b);
      else return left;
    }
  }

  private signed(): Value {
    let isNegative = false;
    for (;;) {
      if (this.take("-")) isNegative = !isNegative;
      else if (!this.take("+")) break;
    }
    const value = this.power();
    return isNegative ? (read) => -value(read) : value;
  }

  private power(): Value {
    const base = this.single();
    return this.take("^") ? joined(base, this.signed(), (a, b) => a ** b) : base;
  }

  private single(): Value {
    const token = this.next;
    if (token === undefined) throw new ExpressionError("expressionEnds", "");
    this.at += 1;
    if (token === "(") {
      const inside = this.sum();
      this.expect(")");
      return inside;
    }
    if (token.startsWith("${")) return this.key(token.slice(2, -1).trim());
    if (/^[\d.]/.test(token)) {
      const number = Number(token);
      return () => number;
    }
    if (/^\w/.test(token)) return this.call(token);
    throw new ExpressionError("expressionUnexpected", token);
  }

  private key(key: string): Value {
    if (!key) throw new ExpressionError("expressionUnexpected", "{}");
    this.keys.add(key);
    return (read) => read(key);
  }

  private call(name: string): Value {
    const act = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!act) throw new ExpressionError("expressionUnknown", name);
    this.expect("(");
    const values = [this.sum()];
    while (this.take(",")) values.push(this.sum());
    this.expect(")");
    const takes = name in TAKES ? TAKES[name] : 1;
    if (takes !== undefined && values.length !== takes)
      throw new ExpressionError("expressionCount", `${name}(${takes === 1 ? "x" : "x, y"})`);
    return (read) => act(...values.map((value) => value(read)));
  }
}

function tokensOf(text: string): string[] {
  const found: string[] = [];
  const rest = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < rest.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(rest);
    if (!match) throw new ExpressionError("expressionUnexpected", rest.slice(from).trim().slice(0, 12));
    found.push(match[0].trim());
  }
  return found;
}

function joined(left: Value, right: Value, act: (a: number, b: number) => number): Value {
  return (read) => act(left(read), right(read));
}
