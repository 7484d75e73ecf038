import type { Source } from "../charts/feed";
import { toPng, toSvg } from "../charts/picture";
import { toast } from "../lib/announce";
import { make, makeIcon, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";
import { copyTable, MOST_COPIED } from "../table/copy";
import { saveAddress, saveFile } from "./csv";
import { makerOf } from "./kinds";
import { broken } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import { clampHeight, DEFAULT_HEIGHT, type PanelSpec, shortTitle } from "./spec";

/** How long a card is marked that somebody looked for, milliseconds. */
const FOUND_MS = 2500;

/** What the card's buttons and handles bring about. */
export interface CardActions {
  menu(card: Card, button: HTMLElement): void;
  enlarge(card: Card): void;
  edit(card: Card): void;
  /** Move by keyboard: so many places on. */
  shift(card: Card, places: number): void;
  /** A drag of the card has begun. */
  grabbed(card: Card): void;
  resized(card: Card, span: number, height: number): void;
}

/** The frame of one panel: it keeps its size whether or not the panel is drawn, and is empty until first seen. */
export class Card implements Head {
  readonly element = make("article", "chart-card");
  visible = false;
  panel: Panel | undefined;
  private readonly value = make("span", "chart-value num");
  private readonly body = make("div", "chart-body");
  private readonly title = make("span", "chart-title");
  private readonly reset = make("button", "btn btn-sm chart-reset");
  private onReset: (() => void) | null = null;
  private isBuilt = false;
  /** Of the grid that it is in. */
  private columns = 1;
  private size = "";

  constructor(
    public spec: PanelSpec,
    private readonly stage: Stage,
    private readonly actions: CardActions,
  ) {
    this.element.dataset.key = spec.id;
    this.place();
  }

  say(text: string): void {
    this.value.textContent = text;
  }

  keep(part: Partial<PanelSpec>): void {
    this.spec = { ...this.spec, ...part };
    this.stage.layout.change(this.spec.id, part);
  }

  enlarge(): void {
    this.actions.enlarge(this);
  }

  zoomed(reset: (() => void) | null): void {
    this.onReset = reset;
    this.reset.hidden = !reset;
  }

  /** Draw, or draw again; does nothing while out of view. */
  show(): void {
    if (!this.visible) return;
    this.attempt(() => this.draw());
  }

  private draw(): void {
    this.build();
    if (this.panel) {
      this.panel.refresh();
      return;
    }
    const maker = makerOf(this.spec);
    if (maker instanceof Promise) {
      maker.then(
        (make) => this.attempt(() => this.begin(make)),
        () => this.say(word("loadFailed")),
      );
    } else this.begin(maker);
  }

  /** Take another description of what the panel shows. */
  change(spec: PanelSpec): void {
    const isSame = JSON.stringify(spec) === JSON.stringify(this.spec);
    this.spec = spec;
    if (isSame) return;
    this.rest();
    this.place();
    this.title.textContent = shortTitle(spec);
    this.show();
  }

  /** Bring it into view, and mark it for a while. */
  reveal(): void {
    this.element.scrollIntoView({ block: "center" });
    this.element.classList.add("is-found");
    setTimeout(() => this.element.classList.remove("is-found"), FOUND_MS);
  }

  /** Draw again if the card has another size than when it was drawn last. */
  resized(): void {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const size = `${width} ${height}`;
    if (size === this.size) return;
    this.size = size;
    this.tell((panel) => panel.refresh());
  }

  /** Tell the panel something, if there is one. */
  tell(act: (panel: Panel) => void): void {
    const { panel } = this;
    if (panel) this.attempt(() => act(panel));
  }

  /** Show why the panel is not drawn; the others go on. */
  failed(error: unknown): void {
    const { panel } = this;
    this.panel = undefined;
    try {
      panel?.destroy();
    } catch {
      // it is broken
    }
    this.zoomed(null);
    broken(this.body, error);
  }

  private attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.failed(error);
    }
  }

  took(source: Source, keys: Set<string>): void {
    if (this.visible) this.tell((panel) => panel.took?.(source, keys));
  }

  /** Throw the drawing away, keep the frame: a thousand canvases are too many. */
  rest(): void {
    this.tell((panel) => panel.destroy());
    this.panel = undefined;
    this.zoomed(null);
    this.body.replaceChildren();
  }

  async save(format: "png" | "svg" | "csv"): Promise<void> {
    const { title } = this.spec;
    try {
      if (format === "csv") {
        const address = this.panel?.csvAddress?.();
        if (address) {
          saveAddress(`${title}.csv`, address);
          return;
        }
        saveFile(`${title}.csv`, "text/csv", (await this.panel?.csv?.()) ?? "");
        return;
      }
      if (this.panel?.file) {
        const type = format === "svg" ? "image/svg+xml" : "image/png";
        saveFile(`${title}.${format}`, type, await this.panel.file(format));
        return;
      }
      const picture = this.panel?.picture?.();
      if (!picture) return;
      if (format === "svg") saveFile(`${title}.svg`, "image/svg+xml", toSvg(picture, title));
      else saveFile(`${title}.png`, "image/png", await toPng(picture, title));
    } catch {
      toast(word("exportFailed"), "error");
    }
  }

  /** Put the table that the panel shows on the clipboard. */
  async copy(form: string, button: HTMLElement): Promise<void> {
    const [head = [], ...rows] = this.panel?.texts?.() ?? [];
    await copyTable(form, [head, ...rows.slice(0, MOST_COPIED)], button, rows.length);
  }

  private begin(makePanel: MakePanel): void {
    if (!this.visible || this.panel) return;
    this.panel = makePanel(this.body, this.spec, this.stage, this);
    this.panel.refresh();
  }

  private place(): void {
    const { height } = this.spec;
    this.span(this.columns);
    this.element.style.height = `${height ?? DEFAULT_HEIGHT}px`;
  }

  /** Take as many columns as it should, of those that there are. */
  span(columns: number): void {
    this.columns = columns;
    const span = Math.min(columns, this.spec.span ?? 1);
    this.element.style.gridColumn = span > 1 ? `span ${span}` : "";
  }

  private build(): void {
    if (this.isBuilt) return;
    this.isBuilt = true;
    const head = make("header", "chart-head");
    this.title.textContent = shortTitle(this.spec);
    this.title.title = this.spec.text ?? (this.spec.keys.join(", ") || this.spec.title);
    this.reset.type = "button";
    this.reset.hidden = true;
    this.reset.append(makeIcon("zoom-out"), make("span", "", word("zoomReset")));
    this.reset.addEventListener("click", () => this.onReset?.());
    const enlarge = makeIconButton("maximize-2", word("enlarge", { key: this.spec.title }));
    enlarge.addEventListener("click", () => this.enlarge());
    const more = makeIconButton("ellipsis", word("panelMenu", { key: this.spec.title }));
    more.setAttribute("aria-haspopup", "menu");
    more.addEventListener("click", () => this.actions.menu(this, more));
    head.append(this.grip(), this.title, this.value, this.reset, enlarge, more);
    this.element.append(head, this.body, this.corner());
  }

  private grip(): HTMLElement {
    const grip = makeIconButton("grip-vertical", word("movePanel", { key: this.spec.title }));
    grip.classList.add("panel-grip");
    grip.draggable = true;
    grip.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData("text/plain", this.spec.id);
      event.dataTransfer?.setDragImage(this.element, 12, 12);
      this.actions.grabbed(this);
    });
    grip.addEventListener("keydown", (event) => {
      const places = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (!places) return;
      event.preventDefault();
      this.actions.shift(this, places);
      grip.focus();
    });
    return grip;
  }

  /** The corner by which the card is made larger; the menu does the same for keyboards. */
  private corner(): HTMLElement {
    const corner = make("span", "panel-corner");
    corner.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      corner.setPointerCapture(event.pointerId);
      const { width, height } = this.element.getBoundingClientRect();
      const column = width / (this.spec.span ?? 1);
      const move = (moved: PointerEvent) => {
        const wide = Math.max(1, Math.round((width + moved.clientX - event.clientX) / column));
        const high = clampHeight(height + moved.clientY - event.clientY);
        this.element.style.gridColumn = `span ${wide}`;
        this.element.style.height = `${high}px`;
        corner.dataset.size = `${wide} ${high}`;
      };
      corner.addEventListener("pointermove", move);
      const end = () => {
        corner.removeEventListener("pointermove", move);
        const [span, high] = (corner.dataset.size ?? "").split(" ").map(Number);
        if (span && high) this.actions.resized(this, span, high);
      };
      corner.addEventListener("pointerup", end, { once: true });
    });
    return corner;
  }
}
