import type { Leaf, Tree, Value } from "../state";

/** Operators that need no value. */
export const WITHOUT_VALUE = new Set(["is null", "is not null"]);
/** Operators whose value is a list. */
export const WITH_LIST = new Set(["in", "not in"]);
/** A time, or a length of time from now: these stand without quotes. */
const BARE = /^([+-]\d+(\.\d+)?[smhdw]|\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?)$/;

/** Write a value as an expression spells it. */
export function writeValue(value: Value | Value[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item)).join(", ")}]`;
  if (typeof value !== "string" || BARE.test(value)) return String(value);
  return `"${value.replaceAll(/[\\"]/g, "\\$&")}"`;
}

/** The text that an expression has between quotes; anything else as it is. */
export function plainText(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\([\\"])/g, "$1") : text;
}

/** Write a tree as a typed expression, the text that the server read the tree from. */
export function writeTree(tree: Tree): string {
  if ("all" in tree) return joined(tree.all, "and");
  if ("any" in tree) return joined(tree.any, "or");
  if ("not" in tree) return `not ${isLeaf(tree.not) ? writeTree(tree.not) : `(${writeTree(tree.not)})`}`;
  return writeLeaf(tree);
}

/** Write one condition. */
export function writeLeaf({ column, operator, value }: Leaf): string {
  const start = `${column} ${operator}`;
  return WITHOUT_VALUE.has(operator) ? start : `${start} ${writeValue(value)}`;
}

/** Whether the tree is one condition. */
export function isLeaf(tree: Tree): tree is Leaf {
  return "column" in tree;
}

/** The conditions that all must hold: each can be taken away by itself. */
export function partsOf(tree: Tree | null): Tree[] {
  if (!tree) return [];
  return "all" in tree ? tree.all : [tree];
}

/** Whether a condition, as it is written, is among those that all must hold. */
export function hasCondition(tree: Tree | null, condition: string): boolean {
  return partsOf(tree).some((part) => writeTree(part) === condition);
}

/** The expression without a condition. */
export function withoutCondition(tree: Tree | null, condition: string): string {
  return writeTree({ all: partsOf(tree).filter((part) => writeTree(part) !== condition) });
}

/** The expression with a condition that must hold, too. */
export function withCondition(tree: Tree | null, condition: string): string {
  const parts = partsOf(tree).map((part) => {
    const text = writeTree(part);
    return "any" in part ? `(${text})` : text;
  });
  return [...parts, condition].join(" and ");
}

function joined(parts: Tree[], word: "and" | "or"): string {
  const texts = parts.map((part) => {
    const text = writeTree(part);
    const inBrackets = parts.length > 1 && ("all" in part || "any" in part);
    return inBrackets ? `(${text})` : text;
  });
  return texts.filter(Boolean).join(` ${word} `);
}
