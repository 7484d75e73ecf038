import type { Card } from "./card";

/** A card or a section that is dragged. */
export type Dragged = { card: Card } | { section: string };

/** Where something was dropped: a section, and the card that it was dropped on. */
export interface DropPlace {
  section: string;
  card: Element | null;
}

/** Dragging of cards and sections over the grid; keyboards and menus do the same without it. */
export class Drag {
  private dragged: Dragged | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly dropped: (dragged: Dragged, place: DropPlace) => void,
  ) {
    root.addEventListener("dragstart", () => root.classList.add("is-dragging"));
    root.addEventListener("dragover", (event) => {
      if (!this.dragged) return;
      event.preventDefault();
      this.mark(this.targetOf(event));
    });
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      this.drop(this.targetOf(event));
    });
    document.addEventListener("dragend", () => {
      this.dragged = null;
      root.classList.remove("is-dragging");
      this.mark(null);
    });
  }

  begin(dragged: Dragged): void {
    this.dragged = dragged;
  }

  private drop(target: Element | null): void {
    const section = target?.closest<HTMLElement>(".chart-section")?.dataset.section;
    if (!this.dragged || section === undefined) return;
    this.dropped(this.dragged, { section, card: target?.closest(".chart-card") ?? null });
  }

  private targetOf(event: DragEvent): Element | null {
    const target = event.target as Element;
    const isSection = this.dragged !== null && "section" in this.dragged;
    return (isSection ? null : target.closest(".chart-card")) ?? target.closest(".chart-section");
  }

  private mark(target: Element | null): void {
    for (const marked of this.root.querySelectorAll(".is-target"))
      if (marked !== target) marked.classList.remove("is-target");
    target?.classList.add("is-target");
  }
}
