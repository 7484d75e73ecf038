import { toast } from "../lib/announce";
import { recall, remember } from "../lib/store";
import { word } from "../lib/words";
import { type Kept, tellKept } from "../views/state";

const PAUSE_MS = 800;

/** The parts of a view that the workspace changes. */
export interface KeptView {
  panels?: object;
  selector?: object;
  runs?: Record<string, unknown>;
}

/** Keeps the working state: on the server where somebody is signed in, else in this browser. */
export class Keeper {
  private waiting: KeptView = {};
  private timer: number | undefined;
  private hasFailed = false;

  constructor(
    /** Says where the state is kept, which changes with the version of a view that it began from. */
    private readonly place: DOMStringMap,
    private readonly store: string,
    /** What the server calls the part that is `panels` here: run pages have panels of their own. */
    private readonly panelsPart: string,
  ) {
    addEventListener("pagehide", () => void this.send());
  }

  private get url(): string {
    return this.place.viewUrl ?? "";
  }

  /** What was kept in this browser. */
  recall(): KeptView {
    return this.url ? {} : recall<KeptView>(this.store, {});
  }

  keep(part: KeptView): void {
    this.waiting = { ...this.waiting, ...part };
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.send(), PAUSE_MS);
  }

  /** Keep at once what waits. */
  async send(): Promise<void> {
    const part = this.waiting;
    if (!Object.keys(part).length) return;
    this.waiting = {};
    clearTimeout(this.timer);
    if (!this.url) {
      remember(this.store, { ...recall<KeptView>(this.store, {}), ...part });
      return;
    }
    const named = namedParts(part, this.panelsPart);
    const headers = { "Content-Type": "application/json", "X-CSRFToken": document.body.dataset.csrf ?? "" };
    const request = { method: "PATCH", headers, body: JSON.stringify(named), keepalive: true };
    const reply = await fetch(this.url, request).catch(() => null);
    this.tell(reply?.ok ?? false);
    if (reply?.ok) tellKept((await reply.json()) as Kept);
  }

  private tell(ok: boolean): void {
    if (!ok && !this.hasFailed) toast(word("viewNotKept"), "error");
    this.hasFailed = !ok;
  }
}

/** The parts under the server's names. */
export function namedParts({ panels, ...others }: KeptView, panelsPart: string): Record<string, unknown> {
  return { ...others, ...(panels ? { [panelsPart]: panels } : {}) };
}
