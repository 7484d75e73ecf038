import { announce } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import { cardOf } from "./lineage-cards";
import { isOnWay, kinOf, type Lineage, neighbourOf, type Ties, tiesOf } from "./lineage-graph";
import { CARD, type Layout, placeNodes } from "./lineage-layout";
import { type DrawnLineage, stacked } from "./lineage-stacks";
import { Minimap } from "./minimap";
import { PanZoom } from "./pan-zoom";

const SVG = "http://www.w3.org/2000/svg";
/** Smaller than this the graph does not begin: then its focus is in the middle, and the rest is a drag away. */
const LEAST_FIRST_SCALE = 0.45;
/** Below these scales cards have one line in large letters, and are no more than marks. */
const FAR_SCALE = 0.65;
const DOTS_SCALE = 0.2;
const FIRST_SCALE = 0.85;
const ZOOM_STEP = 1.4;

/** The graph in `root`: cards that lead to pages, edges between them, tools to move. */
export class LineageView {
  private readonly window: HTMLElement;
  private readonly plane: HTMLElement;
  private readonly stackSwitch: HTMLButtonElement;
  private readonly pan: PanZoom;
  private readonly minimap: Minimap;
  private readonly opened = new Set<string>();
  private cards = new Map<string, HTMLElement>();
  private lines: { line: SVGPathElement; edge: Layout["paths"][number]["edge"] }[] = [];
  private drawn: DrawnLineage = { nodes: [], edges: [] };
  private layout: Layout = { places: new Map(), paths: [], width: 0, height: 0 };
  private ties: Ties = { after: new Map(), before: new Map() };

  constructor(
    root: HTMLElement,
    private readonly lineage: Lineage,
  ) {
    this.window = one<HTMLElement>("[data-lineage-window]", root);
    this.plane = one<HTMLElement>("[data-lineage-plane]", root);
    this.stackSwitch = one<HTMLButtonElement>("[data-lineage-stacks]", root);
    this.minimap = new Minimap(one<HTMLCanvasElement>("[data-lineage-map]", root), (place) =>
      this.pan.center(place),
    );
    this.pan = new PanZoom(this.window, this.plane, (view) => this.moved(view));
    this.draw();
    this.stackSwitch.hidden = !this.drawn.nodes.some(({ members }) => members);
    this.begin();
    this.listen(root);
  }

  private draw(): void {
    const isStacking = this.stackSwitch.getAttribute("aria-pressed") === "true";
    this.drawn = isStacking ? stacked(this.lineage, this.opened) : this.lineage;
    this.ties = tiesOf(this.drawn.nodes, this.drawn.edges);
    this.layout = placeNodes(this.drawn);
    this.pan.measure(this.layout);
    this.cards = new Map(this.drawn.nodes.map((node) => [node.id, cardOf(node)]));
    for (const [id, card] of this.cards) {
      const { x, y } = this.layout.places.get(id) ?? { x: 0, y: 0 };
      card.style.left = `${x - CARD.width / 2}px`;
      card.style.top = `${y - CARD.height / 2}px`;
    }
    this.plane.replaceChildren(this.edges(), ...this.cards.values());
    this.minimap.set(this.drawn.nodes, this.layout);
    const first = this.cards.get(this.focusId);
    if (first) first.tabIndex = 0;
  }

  private edges(): SVGSVGElement {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "lineage-edges");
    svg.setAttribute("aria-hidden", "true");
    this.lines = this.layout.paths.map(({ edge, path }) => {
      const line = document.createElementNS(SVG, "path");
      line.setAttribute("d", path);
      line.setAttribute("class", `is-${edge.kind}`);
      return { line, edge };
    });
    svg.append(...this.lines.map(({ line }) => line));
    return svg;
  }

  private get focusId(): string {
    const { nodes } = this.drawn;
    return (nodes.find(({ is_focus }) => is_focus) ?? nodes[0])?.id ?? "";
  }

  private begin(): void {
    if (this.pan.fittedView.scale >= LEAST_FIRST_SCALE) this.pan.fit();
    else this.toFocus(FIRST_SCALE);
  }

  private toFocus(scale: number): void {
    const place = this.layout.places.get(this.focusId);
    if (place) this.pan.showAround(place, scale);
  }

  private moved({ x, y, scale }: { x: number; y: number; scale: number }): void {
    this.plane.dataset.detail = detailAt(scale);
    this.window.style.backgroundPosition = `${x}px ${y}px`;
    this.minimap.show({ x, y, scale }, this.window.clientWidth, this.window.clientHeight);
  }

  private listen(root: HTMLElement): void {
    this.window.addEventListener("pointerover", (event) => this.light(idOf(event)));
    this.window.addEventListener("pointerleave", () => this.light(undefined));
    this.window.addEventListener("focusin", (event) => this.focused(idOf(event)));
    this.window.addEventListener("focusout", () => this.light(undefined));
    this.window.addEventListener("keydown", (event) => this.typed(event));
    this.window.addEventListener("click", (event) => !event.defaultPrevented && this.openStack(idOf(event)));
    this.stackSwitch.addEventListener("click", () => this.switchStacks());
    const tools: Record<string, () => void> = {
      in: () => this.pan.zoom(ZOOM_STEP),
      out: () => this.pan.zoom(1 / ZOOM_STEP),
      fit: () => this.pan.fit(),
      focus: () => this.toFocus(1),
    };
    for (const button of root.querySelectorAll<HTMLElement>("[data-lineage-tool]"))
      button.addEventListener("click", tools[button.dataset.lineageTool ?? ""] ?? (() => undefined));
    new ResizeObserver(() => this.moved(this.pan.view)).observe(this.window);
  }

  /** Show what led to a node and what came of it; all of them alike without one. */
  private light(id: string | undefined): void {
    this.window.toggleAttribute("data-lit", id !== undefined);
    if (id === undefined) return;
    const kin = kinOf(id, this.ties);
    for (const [other, card] of this.cards)
      card.toggleAttribute("data-lit", kin.ancestors.has(other) || kin.descendants.has(other));
    for (const { line, edge } of this.lines) line.toggleAttribute("data-lit", isOnWay(edge, kin));
  }

  private focused(id: string | undefined): void {
    const place = this.layout.places.get(id ?? "");
    if (!id || !place) return;
    for (const [other, card] of this.cards) card.tabIndex = other === id ? 0 : -1;
    if (!this.cards.get(id)?.matches(":focus-visible")) return;
    this.light(id);
    this.pan.reveal(place, CARD);
  }

  private typed(event: KeyboardEvent): void {
    const id = idOf(event);
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    const to =
      event.key === "Home" ? this.focusId : neighbourOf(event.key, id, this.layout.places, this.ties);
    if (to === undefined && !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    if (to !== undefined) this.cards.get(to)?.focus({ preventScroll: true });
  }

  /** Draw the members of a stack one by one, where the stack was. */
  private openStack(id: string | undefined): void {
    const members = this.drawn.nodes.find((node) => node.id === id)?.members;
    if (!id || !members) return;
    this.opened.add(id);
    const first = members[0]?.id ?? "";
    this.redrawAround(id, first);
    this.cards.get(first)?.focus({ preventScroll: true });
    announce(word("stackOpened", { n: members.length }));
  }

  private switchStacks(): void {
    const pressed = this.stackSwitch.getAttribute("aria-pressed") !== "true";
    this.stackSwitch.setAttribute("aria-pressed", String(pressed));
    this.opened.clear();
    this.draw();
    this.begin();
  }

  /** Draw again so that the node `after` lies where `before` was. */
  private redrawAround(before: string, after: string): void {
    const old = this.layout.places.get(before);
    const { view } = this.pan;
    this.draw();
    const now = this.layout.places.get(after);
    if (old && now)
      this.pan.show({
        ...view,
        x: view.x + (old.x - now.x) * view.scale,
        y: view.y + (old.y - now.y) * view.scale,
      });
  }
}

/** How much detail cards show at a scale. */
export function detailAt(scale: number): string {
  if (scale < DOTS_SCALE) return "dots";
  return scale < FAR_SCALE ? "far" : "near";
}

function idOf(event: Event): string | undefined {
  return (event.target as Element).closest<HTMLElement>(".lineage-card")?.dataset.id;
}
