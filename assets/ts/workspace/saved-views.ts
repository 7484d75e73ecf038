import type { ViewSpec, ViewsMenu } from "./views";

/** What a page shows, for a view that is saved, and how it shows one. */
interface Shown {
  read: () => ViewSpec;
  apply: (spec: ViewSpec) => void;
}

/** Fill the menu of saved views when it opens; its code is loaded with the first opening. */
export function openSavedViews({ viewsUrl = "", viewUrl = "", canShare }: DOMStringMap, shown: Shown): void {
  let menu: ViewsMenu | undefined;
  const open = async () => {
    const { ViewsMenu } = await import("./views");
    if (!menu) {
      menu = new ViewsMenu({
        url: viewsUrl,
        workingUrl: viewUrl,
        canShare: canShare !== undefined,
        ...shown,
      });
      menu.listen();
    }
    await menu.fill();
  };
  document.getElementById("views-menu")?.addEventListener("beforetoggle", (event) => {
    if ((event as ToggleEvent).newState === "open") void open();
  });
}
