import { toast } from "../lib/announce";
import { recall, remember } from "../lib/store";
import { word } from "../lib/words";
import { type Kept, type Spec, tellKept, type ViewKeeper } from "../views/state";

const PAUSE_MS = 800;

/** The parts of a view that the workspace changes. */
export interface KeptView {
  panels?: object;
  selector?: object;
  runs?: Record<string, unknown>;
}

/** Keeps the working state: on the server where somebody is signed in, else in this browser; without a store nowhere. */
export class Keeper implements ViewKeeper {
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
    addEventListener("pagehide", () => void this.flush());
  }

  private get url(): string {
    return this.place.viewUrl ?? "";
  }

  /** What was kept in this browser. */
  recall(): KeptView {
    return this.url || !this.store ? {} : recall<KeptView>(this.store, {});
  }

  keep(part: KeptView): void {
    this.waiting = { ...this.waiting, ...part };
    if (!this.url && !this.store) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.flush(), PAUSE_MS);
  }

  unsaved(): Spec {
    return namedParts(this.waiting, this.panelsPart) as Spec;
  }

  /** Keep at once what waits. */
  async flush(): Promise<void> {
    const part = this.waiting;
    if (!Object.keys(part).length || (!this.url && !this.store)) return;
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
