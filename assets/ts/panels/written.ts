import { make } from "../lib/dom";
import { word } from "../lib/words";
import { highlight } from "../run/highlight";
import { CodeComparer } from "./code/comparer";
import { failure, note, skeleton } from "./notes";
import type { MakePanel, Panel, Stage } from "./panel";
import type { PanelSpec } from "./spec";

/** A panel of text that somebody wrote: it has nothing to do with runs. */
abstract class Written implements Panel {
  private isShown = false;

  constructor(
    protected readonly body: HTMLElement,
    protected readonly spec: PanelSpec,
    protected readonly stage: Stage,
  ) {}

  refresh(): void {
    if (this.isShown) return;
    this.isShown = true;
    if (this.spec.content?.trim()) void this.show(this.spec.content);
    else note(this.body, word("noText"));
  }

  grew(): void {
    // text stays as it is
  }

  destroy(): void {
    this.isShown = false;
    this.body.replaceChildren();
  }

  protected abstract show(text: string): void | Promise<void>;
}

/** Markdown, as the server renders and cleans it. */
class Markdown extends Written {
  protected override async show(text: string): Promise<void> {
    skeleton(this.body);
    try {
      const headers = { "X-CSRFToken": document.body.dataset.csrf ?? "" };
      const body = new URLSearchParams({ text });
      const reply = await fetch(this.stage.urls.markdown, { method: "POST", headers, body });
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      const prose = make("div", "panel-text prose");
      prose.tabIndex = 0; // it scrolls
      prose.innerHTML = await reply.text(); // of common/markdown.py, which lets through only what is listed there
      this.body.replaceChildren(prose);
    } catch {
      failure(this.body, () => void this.show(text));
    }
  }
}

class Code extends Written {
  protected override show(text: string): void {
    const code = make("pre", "panel-text panel-code mono", text);
    code.dataset.language = this.spec.language ?? "python";
    code.tabIndex = 0; // it scrolls
    highlight(code);
    this.body.replaceChildren(code);
  }
}

export const makeMarkdown: MakePanel = (body, spec, stage) => new Markdown(body, spec, stage);
/** A text that somebody wrote, or else a file of the runs' own code. */
export const makeCode: MakePanel = (body, spec, stage, head) =>
  spec.content === undefined ? new CodeComparer(body, spec, stage, head) : new Code(body, spec, stage);
