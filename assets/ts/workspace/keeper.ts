import { toast } from "../lib/announce";
import { recall, remember } from "../lib/store";
import { word } from "../lib/words";
import type { PanelsState } from "../panels/spec";
import type { SelectorState } from "./selector";

const PAUSE_MS = 800;

/** The parts of a view that the workspace changes. */
export interface KeptView {
  panels?: object;
  selector?: object;
  runs?: Record<string, unknown>;
}

/** What a page begins with. */
export interface Start {
  panels?: PanelsState;
  selector?: SelectorState;
  /** What the runs table keeps; its filter is the list's too. */
  runs?: Record<string, unknown>;
}

/** What the server wrote into the page. */
export function readStart(): Start {
  const text = document.getElementById("workspace-state")?.textContent;
  return text ? (JSON.parse(text) as Start) : {};
}

/** Keeps the working state: on the server where somebody is signed in, else in this browser. */
export class Keeper {
  private waiting: KeptView = {};
  private timer: number | undefined;
  private hasFailed = false;

  constructor(
    private readonly url: string,
    private readonly store: string,
    /** What the server calls the part that is `panels` here: run pages have panels of their own. */
    private readonly panelsPart: string,
  ) {
    addEventListener("pagehide", () => this.send());
  }

  /** What was kept in this browser. */
  recall(): KeptView {
    return this.url ? {} : recall<KeptView>(this.store, {});
  }

  keep(part: KeptView): void {
    this.waiting = { ...this.waiting, ...part };
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), PAUSE_MS);
  }

  private send(): void {
    const part = this.waiting;
    if (!Object.keys(part).length) return;
    this.waiting = {};
    clearTimeout(this.timer);
    if (!this.url) {
      remember(this.store, { ...recall<KeptView>(this.store, {}), ...part });
      return;
    }
    const { panels, ...others } = part;
    const named = { ...others, ...(panels ? { [this.panelsPart]: panels } : {}) };
    const headers = { "Content-Type": "application/json", "X-CSRFToken": document.body.dataset.csrf ?? "" };
    fetch(this.url, { method: "PATCH", headers, body: JSON.stringify(named), keepalive: true }).then(
      ({ ok }) => this.tell(ok),
      () => this.tell(false),
    );
  }

  private tell(ok: boolean): void {
    if (!ok && !this.hasFailed) toast(word("viewNotKept"), "error");
    this.hasFailed = !ok;
  }
}
