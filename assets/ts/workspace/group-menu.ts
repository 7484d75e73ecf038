import { one } from "../lib/dom";
import type { Layout } from "../panels/layout";
import type { GroupBand, GroupLine, View } from "../panels/spec";

/** The popup in which somebody chooses what runs are grouped by, and how a group is drawn (RUN-26). */
export class GroupMenu {
  private readonly opener = one<HTMLButtonElement>("[data-group-open]");
  private readonly line = one<HTMLSelectElement>("[data-view=group-line]");
  private readonly band = one<HTMLSelectElement>("[data-view=group-band]");
  private draw: (() => void) | undefined;

  constructor(
    private readonly layout: Layout,
    /** Of the runs table, which knows the columns. */
    private readonly url: string,
    private readonly changed: () => void,
  ) {
    this.line.addEventListener("change", () => this.set({ groupLine: this.line.value as GroupLine }));
    this.band.addEventListener("change", () => this.set({ groupBand: this.band.value as GroupBand }));
    this.opener.addEventListener("click", () => void this.begin(), { once: true });
    this.show();
  }

  /** Show what is chosen. */
  show(): void {
    const { groupBy, groupLine, groupBand } = this.layout.view;
    const badge = one<HTMLElement>("[data-group-count]", this.opener);
    badge.textContent = String(groupBy.length);
    badge.hidden = !groupBy.length;
    this.opener.title = groupBy.length
      ? `${this.opener.dataset.label}: ${groupBy.join(", ")}`
      : (this.opener.dataset.label ?? "");
    this.line.value = groupLine;
    this.band.value = groupBand;
    this.line.disabled = this.band.disabled = !groupBy.length;
    this.draw?.();
  }

  /** The picker comes when it is first opened. */
  private async begin(): Promise<void> {
    const [{ Catalogue }, { enableGroupPicker }] = await Promise.all([
      import("../table/catalogue"),
      import("../table/group-picker"),
    ]);
    const source = Object.assign(new EventTarget(), { url: this.url });
    const catalogue = new Catalogue(source);
    this.opener.addEventListener("click", () => source.dispatchEvent(new Event("counted"))); // keys may have come
    this.draw = enableGroupPicker(this.opener, catalogue, {
      group: () => this.layout.view.groupBy,
      change: (groupBy) => this.set({ groupBy }),
    });
    this.opener.click();
  }

  private set(part: Partial<View>): void {
    this.layout.setView(part);
    this.show();
    this.changed();
  }
}
