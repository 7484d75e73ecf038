import { make, makeIcon, one } from "../../lib/dom";
import { word } from "../../lib/words";
import type { Section } from "../layout";
import { NOTHING_OFFERED } from "../offered";
import type { Stage } from "../panel";
import { newId, type PanelKind, type PanelSpec } from "../spec";
import { keptOf, titleOf } from "./described";
import { type Changes, type Context, type Part, readAll, Tabs } from "./form";
import { iconOf, isAddable, showGallery } from "./gallery";
import { commonFields, partsOf } from "./kind-forms";
import { Preview } from "./preview";

/** What was just added comes first in its section. */
const FIRST = -1;

/** What the editor gives back to the page. */
export interface EditorStage extends Stage {
  put(spec: PanelSpec): void;
  arranged(): readonly Section[];
}

/** A panel that somebody is about to add to a section. */
export function blankPanel(section: Section | undefined): PanelSpec {
  return {
    id: newId(),
    kind: "line",
    source: "history",
    section: section?.name ?? word("sectionCharts"),
    rank: section?.rank ?? 0,
    order: FIRST,
    title: "",
    keys: [],
  };
}

/** Let somebody change what a panel shows; for a new one its kind is chosen first. */
export async function openEditor(spec: PanelSpec, stage: EditorStage): Promise<void> {
  const offered = await stage.offered().catch(() => NOTHING_OFFERED);
  const { id: _id, kind: _kind, ...place } = blankPanel(undefined);
  const common = stage.layout.viewOf({ ...place, id: "", kind: "line", section: spec.section });
  const context: Context = {
    ...offered,
    stage,
    common,
    history: stage.keysOf("history"),
    system: stage.keysOf("system"),
  };
  new Editor(spec, stage, context).open();
}

/** The dialog in which a panel is described: its kind, its fields, and how it looks with them. */
class Editor {
  private readonly dialog = one<HTMLDialogElement>("#panel-dialog");
  private readonly form = one<HTMLFormElement>("form", this.dialog);
  private readonly body = one<HTMLElement>("[data-fields]", this.dialog);
  private readonly kind = one<HTMLButtonElement>("[data-kind]", this.dialog);
  private readonly preview: Preview;
  private readonly tabs: Tabs;
  private readonly isNew: boolean;
  private parts: Part[] = [];

  constructor(
    private draft: PanelSpec,
    private readonly stage: EditorStage,
    private readonly context: Context,
  ) {
    this.isNew = !stage.arranged().some(({ panels }) => panels.some(({ id }) => id === draft.id));
    const fields = make("div", "panel-form-parts");
    this.body.replaceChildren(fields);
    this.tabs = new Tabs(fields);
    this.preview = new Preview(one("[data-preview]", this.dialog), stage, {
      kept: (part) => {
        this.draft = { ...this.draft, ...part };
        this.showFields();
      },
      drawn: (lines) => {
        for (const { fields: all } of this.parts) for (const field of all) field.showLines?.(lines);
      },
    });
  }

  open(): void {
    const change = () => this.changed();
    this.body.addEventListener("input", change);
    this.body.addEventListener("change", change);
    this.form.onsubmit = () => this.put();
    this.kind.onclick = () => this.choose();
    this.dialog.addEventListener(
      "close",
      () => {
        this.body.removeEventListener("input", change);
        this.body.removeEventListener("change", change);
        this.letGo();
        this.preview.destroy();
      },
      { once: true },
    );
    one("[data-submit]", this.dialog).textContent = word(this.isNew ? "addPanel" : "saveChanges");
    if (this.isNew) this.choose();
    else this.edit();
    this.dialog.showModal();
    this.focus();
  }

  private put(): void {
    const spec = this.kept();
    this.stage.put(spec);
    if (this.isNew) cardOf(spec)?.scrollIntoView({ block: "nearest" });
  }

  private choose(): void {
    this.showStep("kinds");
    showGallery(one("[data-gallery]", this.dialog), (kind) => {
      if (kind !== this.draft.kind)
        this.draft = changed(this.draft, { kind, columns: [], keys: [], ...sizeOf(kind) });
      this.edit();
      this.focus();
    });
    this.focus();
  }

  private edit(): void {
    this.showStep("fields");
    this.kind.replaceChildren(
      makeIcon(iconOf(this.draft.kind)),
      make("span", "", word(`kind_${this.draft.kind}`)),
    );
    if (isAddable(this.draft.kind)) this.kind.append(makeIcon("chevron-down"));
    this.kind.disabled = !isAddable(this.draft.kind);
    this.showFields();
    this.changed();
  }

  private showStep(step: "kinds" | "fields"): void {
    const isChoosing = step === "kinds";
    one("h2", this.dialog).textContent = word(
      isChoosing ? "chooseKind" : this.isNew ? "addPanel" : "editPanel",
    );
    this.dialog.dataset.step = step;
    this.dialog.classList.toggle("is-large", !isChoosing && this.draft.kind === "custom");
  }

  private showFields(): void {
    this.letGo();
    const sections = this.stage.arranged().map(({ name, title }) => [name, title] as const);
    const [first, ...others] = partsOf(this.draft, this.context);
    const common = commonFields(this.draft, sections, titleOf(this.draft));
    this.parts = first ? [{ ...first, fields: [...first.fields, ...common] }, ...others] : [];
    this.tabs.show(this.parts);
  }

  private changed(): void {
    this.draft = changed(this.draft, readAll(this.parts));
    const isTyping = this.body.querySelector("input:invalid") !== null; // what was there stays on show
    if (this.draft.kind !== "custom" && !isTyping) {
      const spec = this.kept();
      this.preview.show(spec, spec.title);
    }
    const title = this.body.querySelector<HTMLInputElement>("[data-title]");
    if (title) title.placeholder = titleOf(this.draft);
  }

  /** The panel as it is kept: without what says nothing, in a section that has its rank. */
  private kept(): PanelSpec {
    return keptOf(changed(this.draft, readAll(this.parts)), this.stage.arranged());
  }

  /** Previews of fields stop when their form goes. */
  private letGo(): void {
    for (const { fields } of this.parts) for (const field of fields) field.destroy?.();
  }

  private focus(): void {
    const place = this.dialog.dataset.step === "kinds" ? "[data-gallery]" : "[data-fields]";
    const first = one(place, this.dialog).querySelector<HTMLElement>(
      this.dialog.dataset.step === "kinds"
        ? "button"
        : "[data-part] :is(input, select, textarea):not(:disabled)",
    );
    first?.focus();
  }
}

function changed(spec: PanelSpec, changes: Changes): PanelSpec {
  return { ...spec, ...changes } as PanelSpec;
}

function cardOf({ id }: PanelSpec): Element | null {
  return document.querySelector(`.chart-card[data-key="${CSS.escape(id)}"]`);
}

/** Tables, pictures and code need room. */
function sizeOf(kind: PanelKind): Changes {
  return ["table", "media", "code"].includes(kind)
    ? { span: 2, height: 360 }
    : { span: undefined, height: undefined };
}
