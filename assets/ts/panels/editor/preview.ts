import { Feed } from "../../charts/feed";
import { one } from "../../lib/dom";
import { Patterns } from "../../lib/patterns";
import { word } from "../../lib/words";
import { makerOf } from "../kinds";
import { Narrowing } from "../narrowing";
import { broken, note } from "../notes";
import type { NamedLine, Panel, Stage } from "../panel";
import { withKeys } from "../pattern";
import type { PanelSpec } from "../spec";
import { missingOf } from "./described";

/** A panel is drawn anew at most this often while its fields change, milliseconds. */
const PAUSE_MS = 250;

interface Heard {
  /** The panel itself was set up otherwise. */
  kept(part: Partial<PanelSpec>): void;
  drawn(lines: readonly NamedLine[]): void;
}

/** The panel beside its form: a real one, with lines of its own, so that no other panel moves with it. */
export class Preview {
  private panel: Panel | undefined;
  private shown = "";
  private timer: number | undefined;
  private readonly body: HTMLElement;
  private readonly value: HTMLElement;
  private readonly title: HTMLElement;
  private readonly stage: Stage;
  private readonly resized: ResizeObserver;
  private readonly patterns = new Patterns(() => this.again());
  private again: () => void = () => undefined;

  constructor(
    box: HTMLElement,
    page: Stage,
    private readonly heard: Heard,
  ) {
    this.body = one("[data-preview-body]", box);
    this.value = one("[data-preview-value]", box);
    this.title = one("[data-preview-title]", box);
    const feed = new Feed({
      url: page.urls.series,
      changed: (source, keys) => this.panel?.took?.(source, keys),
      failed: (source, keys) => this.panel?.failed?.(source, keys),
    });
    const runs = Object.create(page.runs, { narrowing: { value: new Narrowing(() => undefined) } });
    this.stage = Object.create(page, {
      feed: { value: feed },
      runs: { value: runs },
      point: { value: () => undefined },
    });
    this.resized = new ResizeObserver(() => this.panel?.refresh());
    this.resized.observe(this.body);
  }

  /** Show the panel as it is described now, a moment after the last change. */
  show(spec: PanelSpec, title: string): void {
    this.title.textContent = title;
    const { title: _title, section: _section, rank: _rank, ...seen } = spec;
    const described = JSON.stringify(seen);
    if (described === this.shown) return;
    this.shown = described;
    clearTimeout(this.timer);
    this.patterns.clear();
    this.again = () => void this.draw(spec, described);
    this.timer = window.setTimeout(this.again, this.panel ? PAUSE_MS : 0);
  }

  destroy(): void {
    clearTimeout(this.timer);
    this.shown = "";
    this.patterns.clear();
    this.resized.disconnect();
    this.clear();
  }

  private clear(): void {
    this.panel?.destroy();
    this.panel = undefined;
    this.value.textContent = "";
    this.body.replaceChildren();
  }

  private async draw(given: PanelSpec, described: string): Promise<void> {
    const spec = withKeys(given, (kind) => this.stage.keysOf(kind), this.patterns);
    this.clear();
    const missing = spec.problem ?? missingOf(spec);
    if (missing) {
      note(this.body, word(missing));
      this.heard.drawn([]);
      return;
    }
    const maker = await makerOf(spec);
    if (described !== this.shown) return;
    try {
      this.panel = maker(this.body, spec, this.stage, {
        say: (text) => {
          this.value.textContent = text;
        },
        keep: (part) => this.heard.kept(part),
        drew: (lines) => this.heard.drawn(lines),
        failed: (error) => broken(this.body, error),
        zoomed: () => undefined,
      });
      this.panel.refresh();
    } catch (error) {
      broken(this.body, error);
    }
  }
}
