import { make, one } from "../lib/dom";
import { highlight } from "../run/highlight";
import type { Problem } from "./editor-wire";

/** Where an error or warning is marked. */
interface Mark {
  line: number;
  level: "error" | "warning";
}

/** A text area with colours behind it, numbers beside it, and marks on its lines. */
export class CodeEditor {
  readonly area: HTMLTextAreaElement;
  private readonly layer = make("pre", "code-layer mono");
  private readonly gutter = make("div", "code-gutter mono num");
  private readonly marks = make("div", "code-marks");
  private lines = 0;

  constructor(private readonly root: HTMLElement) {
    this.area = one<HTMLTextAreaElement>("textarea", root);
    this.layer.dataset.language = "yaml";
    for (const part of [this.layer, this.gutter, this.marks]) part.setAttribute("aria-hidden", "true");
    const plane = make("div", "code-plane");
    root.append(this.gutter, plane);
    plane.append(this.marks, this.layer, this.area);
    root.classList.add("is-coloured");
    this.area.addEventListener("input", () => this.draw());
    this.area.addEventListener("keydown", (event) => this.keyDown(event));
    this.draw();
  }

  get text(): string {
    return this.area.value;
  }

  /** Put another text in place; the caret keeps its line. */
  replace(text: string): void {
    if (text === this.text) return;
    const { selectionStart, selectionEnd } = this.area;
    this.area.value = text;
    this.area.setSelectionRange(selectionStart, selectionEnd);
    this.draw();
  }

  /** Mark lines with what is wrong there. */
  mark(errors: readonly Problem[], warnings: readonly Problem[]): void {
    const marked: Mark[] = [];
    for (const { line } of warnings) if (line) marked.push({ line, level: "warning" });
    for (const { line } of errors) if (line) marked.push({ line, level: "error" });
    this.marks.replaceChildren(
      ...marked.map(({ line, level }) => {
        const mark = make("div", "code-mark");
        mark.dataset.level = level;
        mark.style.setProperty("--line", String(line - 1));
        return mark;
      }),
    );
  }

  /** Bring a line into view and put the caret at its end. */
  go(line: number): void {
    const at = endOfLine(this.text, line);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(at, at);
    const height = this.layer.clientHeight / Math.max(1, this.lines);
    this.root.scrollTop = Math.max(0, (line - 4) * height);
    this.root.scrollIntoView({ block: "nearest" });
  }

  private draw(): void {
    this.layer.textContent = `${this.text}\n`;
    highlight(this.layer);
    const lines = this.text.split("\n").length;
    if (lines === this.lines) return;
    this.lines = lines;
    this.gutter.textContent = Array.from({ length: lines }, (_, at) => at + 1).join("\n");
  }

  /** A new line begins where the one before did, and further in behind a colon. */
  private keyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
    const line = this.text.slice(0, this.area.selectionStart).split("\n").at(-1) ?? "";
    const indent = nextIndent(line);
    if (!indent) return;
    event.preventDefault();
    document.execCommand("insertText", false, `\n${indent}`); // the one way that undo knows of
  }
}

/** What the line behind one of YAML begins with: where that one did, as another item of a list, or further in behind a colon. */
export function nextIndent(line: string): string {
  const indent = /^\s*(?:- (?=\S))?/.exec(line)?.[0].replace("- ", line.trim() === "-" ? "" : "- ") ?? "";
  return /:\s*$/.test(line) ? `${indent.replace("- ", "  ")}  ` : indent;
}

/** The place in a text where a line ends; lines count from 1. */
export function endOfLine(text: string, line: number): number {
  return text.split("\n").slice(0, line).join("\n").length;
}
