import { offerUndo } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import type { Layout } from "../panels/layout";
import type { PanelsState } from "../panels/spec";

/** Reset all panels, begin with none, or have them made of keys again; each can be taken back. */
export class PanelSets {
  constructor(
    private readonly layout: Layout,
    private readonly shown: () => void,
  ) {
    one("[data-reset-panels]").addEventListener("click", () => this.replace({}, word("panelsReset")));
    one("[data-clear-panels]").addEventListener("click", () => this.clear());
    for (const button of document.querySelectorAll("[data-generate-panels]"))
      button.addEventListener("click", () =>
        this.replace({ ...layout.state, mode: "auto" }, word("panelsGenerated")),
      );
  }

  /** Begin with an empty page, which shows only what somebody adds. */
  private clear(): void {
    this.replace(cleared(this.layout.state), word("panelsCleared"));
  }

  /** Forget the layout, and offer it back: both are kept as any other change is. */
  private replace(state: PanelsState, told: string): void {
    const before = this.layout.state;
    const show = (panels: PanelsState) => {
      this.layout.replace(panels);
      this.shown();
    };
    show(state);
    offerUndo(told, () => show(before));
  }
}

/** An empty page; what holds for all panels stays. */
export function cleared({ view, columns }: PanelsState): PanelsState {
  return { ...(view ? { view } : {}), ...(columns ? { columns } : {}), mode: "manual" };
}
