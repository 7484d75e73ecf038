/** Not read out: icons, marks beside values, and what only screen readers are told. */
const UNSAID =
  ".visually-hidden, .extreme, .delta, .compare-baseline, .state-dot, .protected, [aria-hidden=true], svg";
const NUMBER = /^[-−+]?(\d[\d,.\u00a0\u202f ]*)(e[-+]?\d+)?%?$/i;

/** The texts of a row's cells, as they are shown, times in full; boxes to tick and fillers are left out. */
export function cellsOf(row: Element): string[] {
  const cells = [...row.children].filter((cell) => !cell.matches(".pick, .rest"));
  return cells.map((cell) => {
    const copy = cell.cloneNode(true) as Element;
    for (const part of copy.querySelectorAll(UNSAID)) part.remove();
    for (const time of copy.querySelectorAll<HTMLTimeElement>("time[title]")) time.textContent = time.title;
    for (const tag of copy.querySelectorAll(".tag + .tag")) tag.prepend(", ");
    const text = (copy.textContent ?? "").replace(/\s+/g, " ").trim();
    return text === "–" ? "" : text;
  });
}

/** Which columns hold numbers only: those are set to the right. */
function numeric([head = [], ...body]: readonly (readonly string[])[]): boolean[] {
  return head.map((_, at) => {
    const texts = body.map((row) => row[at] ?? "").filter(Boolean);
    return texts.length > 0 && texts.every((text) => NUMBER.test(text));
  });
}

/** Write a table, whose first row is its head, in GitHub's Markdown. */
export function markdown(table: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const [head = [], ...body] = table.map((row) => row.map(markdownCell));
  const rule = numeric(table).map((isNumeric) => (isNumeric ? "---:" : "---"));
  return [head, rule, ...body].map(line).join("");
}

/** Every sign that could mean something is escaped; `_` only where it does not stand within a word. */
function markdownCell(text: string): string {
  return text.replace(/[\\`*[\]<>|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}

const LATEX: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  // after the end of a row these would be read as its options
  "[": "{[}",
  "*": "{*}",
  "−": "$-$",
  "×": "$\\times$",
  "…": "\\dots{}",
  "–": "--",
};

function latexCell(text: string): string {
  return text.replace(/[\\~^<>|[*−×…–]|[{}$&#_%]/g, (sign) => LATEX[sign] ?? `\\${sign}`);
}

/** Write a table, whose first row is its head, as a `tabular` with the rules of the package booktabs. */
export function latex(table: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `${cells.join(" & ")} \\\\\n`;
  const [head = [], ...body] = table.map((row) => row.map(latexCell));
  const columns = numeric(table).map((isNumeric) => (isNumeric ? "r" : "l"));
  return (
    "% \\usepackage{booktabs}\n" +
    `\\begin{tabular}{${columns.join("")}}\n\\toprule\n${line(head)}\\midrule\n` +
    `${body.map(line).join("")}\\bottomrule\n\\end{tabular}\n`
  );
}
