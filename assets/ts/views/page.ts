import { toast } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import type { ViewsMenu } from "./menu";
import { type Kept, listViews, type ViewKeeper, type ViewState } from "./state";

/** Let the page save and open views; the menu's code is loaded with its first use. */
export function enableSavedViews(keeper: ViewKeeper): void {
  const text = document.getElementById("view-state")?.textContent;
  const opener = document.querySelector<HTMLButtonElement>("[data-views-open]");
  if (text && opener) new ViewsPage(JSON.parse(text) as ViewState, opener, keeper);
}

class ViewsPage {
  private menu: ViewsMenu | undefined;

  constructor(
    private readonly state: ViewState,
    private readonly opener: HTMLButtonElement,
    private readonly keeper: ViewKeeper,
  ) {
    opener.addEventListener("click", () => void this.use((menu) => menu.open()));
    document.addEventListener("view-kept", (event) => {
      this.state.edited = (event as CustomEvent<Kept>).detail.edited;
      this.show();
    });
    document.querySelector("[data-view-news] button")?.addEventListener("click", () => {
      void this.use((menu) => menu.load());
    });
    if (state.id) document.addEventListener("visibilitychange", () => void this.lookForNews());
  }

  private async use(act: (menu: ViewsMenu) => Promise<void>): Promise<void> {
    try {
      const { ViewsMenu } = await import("./menu");
      this.menu ??= new ViewsMenu(this.state, this.opener, this.keeper, () => this.show());
      await act(this.menu);
    } catch (error) {
      toast(error instanceof Error ? error.message : word("requestFailed"), "error");
    }
  }

  private show(): void {
    const { id, name, edited } = this.state;
    if (!id) return;
    one<HTMLElement>("[data-view-name]", this.opener).textContent = name;
    one<HTMLElement>("[data-view-edited]", this.opener).hidden = !edited;
  }

  /** Say so when somebody else saved the view meanwhile. */
  private async lookForNews(): Promise<void> {
    if (document.visibilityState !== "visible") return;
    const views = await listViews(this.state).catch(() => []);
    const now = views.find(({ id }) => id === this.state.id);
    if (!now || now.version <= this.state.version) return;
    const news = one<HTMLElement>("[data-view-news]");
    one("p", news).textContent = word("viewNews", { name: now.saved_by ?? "?" });
    news.hidden = false;
  }
}
