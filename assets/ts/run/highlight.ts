import { make } from "../lib/dom";
import { entryOf } from "../lib/record";

/** Texts longer than this stay plain: colouring is a help, not worth a wait. */
const LONGEST = 200_000;

/** A quote behind a backslash begins none: to look for the end of each anew takes minutes in a line of them. */
const STRING = `(?<!\\\\)(?:"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*')`;
const NUMBER = "\\b\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\b";

/** Per language: what is a comment, a string, a number, a word of the language, a key. */
const LANGUAGES: Record<string, RegExp> = {
  python: of(
    "#[^\\n]*",
    `"""[\\s\\S]*?"""|'''[\\s\\S]*?'''|${STRING}`,
    "\\b(?:False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)\\b|@\\w+",
  ),
  json: of("(?!)", STRING, "\\b(?:true|false|null|NaN|Infinity)\\b", `${STRING}(?=\\s*:)`),
  yaml: of(
    "#[^\\n]*",
    STRING,
    "\\b(?:true|false|null|yes|no)\\b",
    "^[^\\S\\n]*(?:- )?[\\w./-][\\w./ -]*(?=:(?:\\s|$))",
  ),
  toml: of("[#;][^\\n]*", STRING, "\\b(?:true|false)\\b", "^[^\\S\\n]*(?:\\[.*\\]|[\\w.-]+(?=[^\\S\\n]*=))"),
  shell: of(
    "#[^\\n]*",
    STRING,
    "\\b(?:if|then|else|fi|for|in|do|done|while|case|esac|function|export|local)\\b|\\$\\w+",
  ),
  script: of(
    "//[^\\n]*|/\\*(?:[\\s\\S]*?\\*/|[\\s\\S]*)",
    `${STRING}|(?<!\\\\)\`(?:\\\\.|[^\`\\\\])*\``,
    "\\b(?:async|auto|await|bool|break|case|catch|class|const|continue|default|do|double|else|enum|export|extends|false|float|fn|for|from|func|function|if|impl|import|in|int|interface|let|match|mod|mut|namespace|new|null|nullptr|package|pub|return|static|struct|switch|template|this|throw|true|try|type|typedef|typename|undefined|use|using|var|void|while)\\b|^[^\\S\\n]*#\\w+",
  ),
  diff: /(?<comment>^@@[^\n]*)|(?<word>^[-][^\n]*)|(?<string>^[+][^\n]*)/gm,
};

function of(comment: string, text: string, words: string, key = "(?!)"): RegExp {
  return new RegExp(
    `(?<comment>${comment})|(?<key>${key})|(?<string>${text})|(?<word>${words})|(?<number>${NUMBER})`,
    "gm",
  );
}

/** Colour the text of a `<pre data-language>`. */
export function highlight(element: HTMLElement): void {
  element.replaceChildren(...colored(element.textContent ?? "", element.dataset.language ?? ""));
}

/** The lines of a text, each coloured as it is within the whole. */
export function highlightedLines(text: string, language: string): Node[] {
  const lines: DocumentFragment[] = [document.createDocumentFragment()];
  for (const node of colored(text, language)) {
    for (const [at, part] of (node.textContent ?? "").split("\n").entries()) {
      if (at) lines.push(document.createDocumentFragment());
      if (part) lines.at(-1)?.append(node instanceof HTMLElement ? make("span", node.className, part) : part);
    }
  }
  return lines;
}

function colored(text: string, language: string): Node[] {
  return codePieces(text, language).map(({ text, kind }) =>
    kind ? make("span", `code-${kind}`, text) : document.createTextNode(text),
  );
}

/** What is coloured alike: `kind` is comment, key, string, word or number, "" for what stays plain. */
export interface CodePiece {
  kind: string;
  text: string;
}

/** Cut a text into what is coloured alike; together they are the whole text. */
export function codePieces(text: string, language: string): CodePiece[] {
  const pattern = entryOf(LANGUAGES, language);
  if (!pattern || text.length > LONGEST) return [{ kind: "", text }];
  const pieces: CodePiece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    if (!match[0] || !kind) continue;
    pieces.push({ kind: "", text: text.slice(from, match.index) }, { kind, text: match[0] });
    from = match.index + match[0].length;
  }
  return [...pieces, { kind: "", text: text.slice(from) }];
}
