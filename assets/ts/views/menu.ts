import { toast } from "../lib/announce";
import { copyText } from "../lib/copy";
import { make, makeIcon, one } from "../lib/dom";
import { word } from "../lib/words";
import { openAt, walkMenu } from "../table/popup";
import { askJson, Refusal } from "../table/server";
import { openHistory } from "./history";
import {
  addressOf,
  fromAnyVersion,
  fromVersion,
  listTemplates,
  listViews,
  NO_PARTS,
  type SavedView,
  type Spec,
  urlOf,
  type ViewKeeper,
  type ViewState,
} from "./state";

/** The menu of saved views: open one, save, name, share, and go back to what it was (RUN-21, RUN-26). */
export class ViewsMenu {
  private readonly menu = one<HTMLElement>("#views-menu");
  private readonly naming = one<HTMLDialogElement>("#view-dialog");
  private readonly conflict = one<HTMLDialogElement>("#view-conflict");
  /** What the naming dialog is for. */
  private named: (name: string, shared: boolean) => Promise<void> = () => Promise.resolve();
  /** What replaces what somebody else saved. */
  private replace: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly state: ViewState,
    private readonly opener: HTMLButtonElement,
    private readonly keeper: ViewKeeper,
    private readonly changed: () => void,
  ) {
    walkMenu(this.menu);
    const acts: Record<string, () => Promise<void> | void> = {
      save: () => this.save(this.state.version),
      discard: () => this.load(),
      reset: () => this.load(),
      "save-as": () => this.askSaveAs(),
      rename: () => this.askRename(),
      link: () => this.copyLink(),
      history: () => openHistory(this.state, () => this.leave(this.state.id)),
      delete: () => one<HTMLDialogElement>("#view-delete").showModal(),
      default: () => this.makeDefault(this.state.default),
      template: () => this.offer(!this.state.template),
    };
    for (const [name, act] of Object.entries(acts)) this.wire(`[data-view-act="${name}"]`, this.menu, act);
    this.wire("[data-confirm]", document.getElementById("view-delete"), () => this.remove());
    this.wire('[data-conflict="load"]', this.conflict, () => this.load());
    this.wire('[data-conflict="save-as"]', this.conflict, () => this.askSaveAs());
    this.wire('[data-conflict="replace"]', this.conflict, () => this.replace());
    one("form", this.naming).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.attempt(() => this.takeName());
    });
  }

  async open(): Promise<void> {
    this.draw(...(await Promise.all([listViews(this.state), listTemplates(this.state)])));
    for (const item of this.menu.querySelectorAll<HTMLElement>("[data-if-edited]"))
      item.hidden = !this.state.edited;
    openAt(this.menu, this.opener);
  }

  /** Show the view as it was saved last, or the default, without one's own changes. */
  async load(): Promise<void> {
    await this.keeper.flush();
    const { id, urls } = this.state;
    await (id ? this.discard() : askJson(urls.working, "PATCH", NO_PARTS));
    this.leave(id);
  }

  private wire(selector: string, root: ParentNode | null, act: () => Promise<void> | void): void {
    root?.querySelector(selector)?.addEventListener("click", () => {
      this.menu.hidePopover();
      this.conflict.close();
      void this.attempt(act);
    });
  }

  private draw(views: SavedView[], templates: SavedView[]): void {
    const mine = views.filter((view) => !view.shared);
    const shared = views.filter((view) => view.shared);
    one("[data-views-list]", this.menu).replaceChildren(
      this.itemOf(0, word("defaultView"), "layout-dashboard"),
      ...this.section(word("myViews"), mine, "bookmark"),
      ...this.section(word("sharedViews"), shared, "users"),
      ...(views.length ? [] : [make("div", "menu-none", word("noViews"))]),
      ...this.templates(templates),
    );
  }

  private section(title: string, views: SavedView[], icon: string): HTMLElement[] {
    if (!views.length) return [];
    return [make("div", "menu-title", title), ...views.map(({ id, name }) => this.itemOf(id, name, icon))];
  }

  /** Each makes a view of one's own, under a name that is asked for. */
  private templates(offered: SavedView[]): HTMLElement[] {
    if (!offered.length) return [];
    const items = offered.map((template) => {
      const item = make("button", "menu-item");
      item.type = "button";
      item.append(
        makeIcon("layout-template"),
        make("span", "truncate", template.name),
        make("span", "muted truncate", template.project),
      );
      item.addEventListener("click", () => this.askFromTemplate(template));
      return item;
    });
    return [make("div", "menu-title", word("templates")), ...items];
  }

  private askFromTemplate(template: SavedView): void {
    this.menu.hidePopover();
    this.ask(word("useTemplate"), template.name, true, async (name, shared) => {
      const { spec } = await askJson<{ spec: Spec }>(urlOf(this.state, template.id));
      const { id } = await askJson<SavedView>(this.state.urls.views, "POST", { name, shared, spec });
      this.leave(id);
    });
  }

  private async offer(template: boolean): Promise<void> {
    await askJson(urlOf(this.state, this.state.id), "PATCH", { template });
    this.state.template = template;
    one('[data-view-act="template"]', this.menu).ariaPressed = String(template);
    toast(word(template ? "templateOffered" : "templateWithdrawn"), "success");
  }

  private itemOf(id: number, name: string, icon: string): HTMLElement {
    const item = make("a", "menu-item");
    item.href = addressOf(id);
    const isOpen = id === this.state.id;
    if (isOpen) item.setAttribute("aria-current", "true");
    item.append(makeIcon(isOpen ? "check" : icon), make("span", "truncate", name));
    return item;
  }

  /** What the page shows; a page without a view has only what was changed in it. */
  private async shown(): Promise<Spec> {
    if (this.state.bare) return this.keeper.unsaved();
    await this.keeper.flush();
    const url = fromAnyVersion(this.state.urls.working);
    return (await askJson<{ spec: Spec }>(url)).spec;
  }

  /** Save the changes in place of version `base`; where that is no longer the last one, ask what to do. */
  private async save(base: number): Promise<void> {
    const spec = await this.shown();
    const saved = await this.unlessChanged(
      () => askJson<SavedView>(urlOf(this.state, this.state.id), "PATCH", { spec, base }),
      (now) => this.save(now),
    );
    if (!saved) return;
    await this.discard();
    this.begunFrom(saved.version);
    toast(word("viewSaved", { name: saved.name }), "success");
  }

  /** Make what is shown what everybody begins with. */
  private async makeDefault(base: number): Promise<void> {
    const spec = { ...(this.state.bare ? NO_PARTS : {}), ...(await this.shown()) };
    const { urls } = this.state;
    const url = `${urls.default}&base=${base}`;
    const saved = await this.unlessChanged(
      () => askJson<{ version: number }>(url, "PATCH", spec),
      (now) => this.makeDefault(now),
    );
    if (!saved) return;
    this.state.default = saved.version;
    toast(word("defaultSaved"), "success");
  }

  private async unlessChanged<T>(
    save: () => Promise<T>,
    replace: (now: number) => Promise<void>,
  ): Promise<T | undefined> {
    try {
      return await save();
    } catch (error) {
      if (!(error instanceof Refusal) || error.version === null) throw error;
      const { version } = error;
      one("[data-message]", this.conflict).textContent = error.message;
      this.replace = () => replace(version);
      this.conflict.showModal();
      return undefined;
    }
  }

  /** From here on changes begin from another version. */
  private begunFrom(version: number): void {
    const { urls } = this.state;
    urls.working = fromVersion(urls.working, version);
    one<HTMLElement>("[data-view-url]").dataset.viewUrl = urls.working;
    Object.assign(this.state, { version, edited: false });
    document.querySelector("[data-view-news]")?.setAttribute("hidden", "");
    this.changed();
  }

  private askSaveAs(): void {
    this.ask(word("saveView"), "", true, async (name, shared) => {
      const spec = await this.shown();
      const { id } = await askJson<SavedView>(this.state.urls.views, "POST", { name, shared, spec });
      if (this.state.id) await this.discard();
      this.leave(id);
    });
  }

  private askRename(): void {
    this.ask(word("renameView"), this.state.name, false, async (name) => {
      const view = await askJson<SavedView>(urlOf(this.state, this.state.id), "PATCH", { name });
      document.title = document.title.replace(this.state.name, view.name);
      this.state.name = view.name;
      this.changed();
    });
  }

  private ask(title: string, name: string, canShare: boolean, named: typeof this.named): void {
    this.named = named;
    one("h2", this.naming).textContent = title;
    const share = this.naming.querySelector<HTMLElement>("[data-share]");
    if (share) share.hidden = !canShare;
    const field = one<HTMLInputElement>("[name=name]", this.naming);
    field.value = name;
    this.naming.showModal();
    field.select();
  }

  private async takeName(): Promise<void> {
    const name = one<HTMLInputElement>("[name=name]", this.naming).value.trim();
    const shared = this.naming.querySelector<HTMLInputElement>("[name=shared]")?.checked ?? false;
    await this.named(name, shared);
    this.naming.close();
  }

  private async copyLink(): Promise<void> {
    const isCopied = await copyText(new URL(addressOf(this.state.id), location.href).href, this.opener);
    if (isCopied) toast(word("linkCopied"), "success");
    else toast(word("copyFailed"), "error");
  }

  private async remove(): Promise<void> {
    await this.keeper.flush();
    await askJson(urlOf(this.state, this.state.id), "DELETE");
    this.leave(0);
  }

  /** Forget one's own changes of the view. */
  private discard(): Promise<void> {
    return askJson(urlOf(this.state, this.state.id, "/draft"), "DELETE");
  }

  private leave(id: number): void {
    location.assign(addressOf(id));
  }

  private async attempt(act: () => Promise<void> | void): Promise<void> {
    try {
      await act();
    } catch (error) {
      toast(error instanceof Error ? error.message : word("requestFailed"), "error");
    }
  }
}
