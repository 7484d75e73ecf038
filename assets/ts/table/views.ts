import { toast } from "../lib/announce";
import { make, makeIcon, makeIconButton, one } from "../lib/dom";
import { word } from "../lib/words";
import { openAt, walkMenu } from "./popup";
import { askJson } from "./server";
import { DEFAULT_ORDER, NO_LAYOUT, type TableState } from "./state";
import type { RunsTable } from "./table";

/** A view as the list has it. */
interface SavedView {
  id: number;
  name: string;
  shared: boolean;
}

/** What a view holds; its other parts are other pages'. */
interface WholeView extends SavedView {
  spec: { runs?: Partial<TableState> };
}

/** The menu of saved views: open one, save, share, rename, delete (RUN-21). */
export function enableViews(table: RunsTable): void {
  new Views(table);
}

class Views {
  private readonly opener: HTMLButtonElement;
  private readonly menu = one<HTMLElement>("#views-menu");
  private readonly dialog = one<HTMLDialogElement>("#view-dialog");
  private readonly url: string;
  private views: SavedView[] = [];
  private renamed: SavedView | undefined;

  constructor(private readonly table: RunsTable) {
    this.opener = one("[data-views-open]", table.root);
    this.url = table.root.dataset.viewsUrl ?? "";
    walkMenu(this.menu);
    this.opener.addEventListener("click", () => void this.open());
    one("form", this.dialog).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.attempt(() => this.saveDialog());
    });
    one("[data-view-update]", this.menu).addEventListener(
      "click",
      () => void this.attempt(() => this.update()),
    );
    one("[data-view-save-as]", this.menu).addEventListener("click", () => this.ask());
    one("[data-view-reset]", this.menu).addEventListener("click", () => {
      this.menu.hidePopover();
      void this.show(undefined);
    });
  }

  private get current(): SavedView | undefined {
    return this.views.find((view) => view.id === this.table.view);
  }

  /** Views of one's own, and shared ones with the right to change the project. */
  private mayChange(view: SavedView | undefined): boolean {
    return view !== undefined && (!view.shared || this.table.root.dataset.canShare !== undefined);
  }

  private async open(): Promise<void> {
    await this.attempt(async () => {
      this.views = await this.fetch();
      this.draw();
      openAt(this.menu, this.opener);
    });
  }

  private async fetch(): Promise<SavedView[]> {
    const reply = await askJson<SavedView[] | { results: SavedView[] }>(this.url);
    return (Array.isArray(reply) ? reply : reply.results).filter((view) => view.name);
  }

  private draw(): void {
    const list = one<HTMLElement>("[data-views-list]", this.menu);
    const mine = this.views.filter((view) => !view.shared);
    const shared = this.views.filter((view) => view.shared);
    list.replaceChildren(
      ...this.section(word("myViews"), mine, word("noViews")),
      ...this.section(word("sharedViews"), shared, word("noSharedViews")),
    );
    one<HTMLElement>("[data-view-update]", this.menu).hidden = !this.mayChange(this.current);
  }

  private section(title: string, views: SavedView[], none: string): HTMLElement[] {
    const items = views.map((view) => this.item(view));
    return [make("div", "menu-title", title), ...(items.length ? items : [make("div", "menu-none", none)])];
  }

  private item(view: SavedView): HTMLElement {
    const line = make("div", "view-line");
    const button = make("button", "menu-item");
    button.type = "button";
    if (view.id === this.table.view) button.setAttribute("aria-current", "true");
    button.append(makeIcon(view.id === this.table.view ? "check" : view.shared ? "users" : "bookmark"));
    button.append(make("span", "truncate", view.name));
    button.addEventListener("click", () => {
      this.menu.hidePopover();
      void this.attempt(() => this.show(view));
    });
    line.append(button);
    if (this.mayChange(view)) line.append(...this.tools(view));
    return line;
  }

  private tools(view: SavedView): HTMLElement[] {
    const tools: HTMLElement[] = [];
    const rename = makeIconButton("pencil", word("renameView", { name: view.name }));
    rename.addEventListener("click", () => this.ask(view));
    tools.push(rename);
    const remove = makeIconButton("trash-2", word("deleteView", { name: view.name }));
    remove.addEventListener("click", () => void this.attempt(() => this.remove(view)));
    tools.push(remove);
    return tools;
  }

  /** Open a view; without one, the table as it is for a project nobody has set up. */
  private async show(view: SavedView | undefined): Promise<void> {
    const fresh: TableState = {
      filter: "",
      search: "",
      order: DEFAULT_ORDER,
      group: [],
      columns: NO_LAYOUT,
      crop: "middle",
    };
    const whole = view && (await askJson<WholeView>(this.urlOf(view)));
    await this.table.change({ ...fresh, ...whole?.spec.runs }, { view: view?.id ?? 0 });
    this.name(view);
  }

  private name(view: SavedView | undefined): void {
    one<HTMLElement>("[data-view-name]", this.opener).textContent = view?.name ?? word("views");
  }

  /** Ask for a name: of a new view, or of `view`. */
  private ask(view?: SavedView): void {
    this.menu.hidePopover();
    this.renamed = view;
    one("h2", this.dialog).textContent = view ? word("renameView", { name: view.name }) : word("saveView");
    const name = one<HTMLInputElement>("[name=name]", this.dialog);
    name.value = view?.name ?? "";
    const share = this.dialog.querySelector<HTMLElement>("[data-share]");
    if (share) share.hidden = view !== undefined;
    this.dialog.showModal();
    name.focus();
  }

  private async saveDialog(): Promise<void> {
    const name = one<HTMLInputElement>("[name=name]", this.dialog).value.trim();
    const shared = this.dialog.querySelector<HTMLInputElement>("[name=shared]")?.checked ?? false;
    if (this.renamed) {
      const view = await askJson<SavedView>(this.urlOf(this.renamed), "PATCH", { name });
      if (view.id === this.table.view) this.name(view);
    } else {
      const view = await askJson<SavedView>(this.url, "POST", {
        name,
        shared,
        spec: { runs: this.table.state },
      });
      this.table.view = view.id;
      this.table.keep();
      this.name(view);
      toast(word("viewSaved", { name }), "success");
    }
    this.dialog.close();
  }

  private async update(): Promise<void> {
    const { current } = this;
    if (!current) return;
    this.menu.hidePopover();
    const { spec } = await askJson<WholeView>(this.urlOf(current));
    await askJson(this.urlOf(current), "PATCH", { spec: { ...spec, runs: this.table.state } });
    toast(word("viewSaved", { name: current.name }), "success");
  }

  private async remove(view: SavedView): Promise<void> {
    await askJson(this.urlOf(view), "DELETE");
    if (view.id === this.table.view) {
      this.table.view = 0;
      this.name(undefined);
    }
    this.views = this.views.filter((other) => other !== view);
    this.draw();
    this.opener.focus();
    toast(word("viewDeleted", { name: view.name }), "success");
  }

  private urlOf(view: SavedView): string {
    return `${this.url.split("?")[0]?.replace(/\/?$/, "/")}${view.id}`;
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      toast(error instanceof Error ? error.message : word("requestFailed"), "error");
    }
  }
}
