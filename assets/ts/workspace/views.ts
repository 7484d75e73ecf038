import { toast } from "../lib/announce";
import { make, makeIcon, makeIconButton, one } from "../lib/dom";
import { getJson } from "../lib/http";
import { word } from "../lib/words";

/** The parts of a spec that a workspace shows. */
export interface ViewSpec {
  panels?: object;
  selector?: object;
  runs?: Record<string, unknown>;
}

interface ViewInfo {
  id: number;
  name: string;
  shared: boolean;
}

export interface ViewsOptions {
  /** Of the list, with entity and project. */
  url: string;
  /** Of the working state, with entity and project. */
  workingUrl: string;
  canShare: boolean;
  /** What the workspace shows now. */
  read(): ViewSpec;
  apply(spec: ViewSpec): void;
}

/** The menu of saved views: one's own and the project's. */
export class ViewsMenu {
  private readonly menu = one<HTMLElement>("#views-menu");

  constructor(private readonly options: ViewsOptions) {}

  /** Read the views anew and list them. */
  async fill(): Promise<void> {
    const list = one<HTMLElement>("[data-view-list]", this.menu);
    try {
      const reply = await getJson<{ results?: ViewInfo[] } | ViewInfo[]>(this.options.url);
      const views = Array.isArray(reply) ? reply : (reply.results ?? []);
      list.replaceChildren(...views.map((view) => this.rowOf(view)));
      if (!views.length) list.append(make("p", "muted menu-row", word("noViews")));
    } catch {
      list.replaceChildren(make("p", "menu-row", word("loadFailed")));
    }
  }

  listen(): void {
    const form = one<HTMLFormElement>("form", this.menu);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = one<HTMLInputElement>("[name=name]", form);
      const shared = form.querySelector<HTMLInputElement>("[name=shared]")?.checked ?? false;
      void this.save(name.value.trim(), shared).then((ok) => {
        if (ok) name.value = "";
      });
    });
    this.menu.querySelector("[data-make-default]")?.addEventListener("click", () => {
      void this.send(
        "PATCH",
        `${this.options.workingUrl}&shared=1`,
        this.options.read(),
        word("defaultSaved"),
      );
      this.menu.hidePopover();
    });
  }

  private rowOf(view: ViewInfo): HTMLElement {
    const row = make("div", "view-row");
    const open = make("button", "menu-item");
    open.type = "button";
    open.append(makeIcon(view.shared ? "users" : "user"), make("span", "truncate", view.name));
    open.addEventListener("click", () => void this.open(view));
    row.append(open);
    if (!view.shared || this.options.canShare) {
      const remove = makeIconButton("trash-2", word("deleteView", { name: view.name }));
      remove.addEventListener("click", () => void this.remove(view));
      row.append(remove);
    }
    return row;
  }

  private async open(view: ViewInfo): Promise<void> {
    try {
      const { spec } = await getJson<{ spec: ViewSpec }>(this.urlOf(view));
      this.menu.hidePopover();
      this.options.apply(spec);
      toast(word("viewOpened", { name: view.name }));
    } catch {
      toast(word("loadFailed"), "error");
    }
  }

  private async save(name: string, shared: boolean): Promise<boolean> {
    if (!name) return false;
    const body = { name, shared, spec: this.options.read() };
    const ok = await this.send("POST", this.options.url, body, word("viewSaved", { name }));
    if (ok) await this.fill();
    return ok;
  }

  private async remove(view: ViewInfo): Promise<void> {
    if (await this.send("DELETE", this.urlOf(view), null, word("viewDeleted", { name: view.name })))
      await this.fill();
  }

  private urlOf({ id }: ViewInfo): string {
    return `${this.options.url.split("?")[0]?.replace(/\/$/, "")}/${id}/`;
  }

  private async send(method: string, url: string, body: unknown, said: string): Promise<boolean> {
    const headers = { "Content-Type": "application/json", "X-CSRFToken": document.body.dataset.csrf ?? "" };
    const reply = await fetch(url, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch(() => null);
    if (reply?.ok) toast(said, "success");
    else toast((await messageOf(reply)) ?? word("viewFailed"), "error");
    return reply?.ok ?? false;
  }
}

/** What the server said of its refusal. */
async function messageOf(reply: Response | null): Promise<string | null> {
  try {
    const body = (await reply?.json()) as { error?: { message?: string } } | undefined;
    return body?.error?.message ?? null;
  } catch {
    return null;
  }
}
