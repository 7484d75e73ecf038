import { make, makeIcon, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";
import { draw } from "./draw";
import type { Held } from "./feed";
import { kindOf } from "./kinds";
import { legend } from "./legend";
import type { Drawing, MediaKey } from "./wire";

/** One key's value at the slider's step. */
export class Card {
  readonly element = make("section", "media-card");
  private readonly body = make("div", "media-body");
  private readonly place = make("span", "muted num");
  private shown: Held | undefined;

  constructor(public info: MediaKey) {
    const [icon, name] = kindOf(info.kinds[0] ?? "");
    const title = make("h3", "truncate mono", info.key);
    title.title = info.key;
    const head = make("header", "media-head");
    const kind = makeIcon(icon);
    const full = makeIconButton("maximize-2", word("fullScreen"));
    full.addEventListener("click", () => void toggleFullScreen(this.element));
    head.append(kind, title, make("span", "visually-hidden", word(name)), this.place, full);
    this.element.append(head, this.body, legend(info.key));
    this.element.dataset.key = info.key;
    this.element.setAttribute("aria-label", info.key);
    this.wait();
  }

  private wait(): void {
    this.body.replaceChildren(make("div", "skeleton media-wait"));
  }

  /** Draw a value unless it is the one that is shown. */
  show(held: Held, rest: Pick<Drawing, "labels" | "urls" | "goTo">): void {
    if (this.shown?.value.row === held.value.row) return;
    this.shown = held;
    const { kind, value, step } = held.value;
    const drawing: Drawing = {
      ...rest,
      key: this.info.key,
      value,
      step,
      files: held.files,
    };
    this.body.style.minHeight = `${this.body.offsetHeight}px`; // cards do not jump while pictures load
    this.body.replaceChildren(draw(kind, drawing));
    requestAnimationFrame(() => setTimeout(() => this.body.style.removeProperty("min-height"), 300));
    const index = this.info.steps.indexOf(step) + 1;
    this.place.textContent = word("stepOf", { step, n: index || "–", all: this.info.steps.length });
  }

  fail(retry: () => void): void {
    const box = make("div", "empty empty-small");
    const again = make("button", "btn btn-sm", word("tryAgain"));
    again.type = "button";
    again.addEventListener("click", () => {
      this.wait();
      retry();
    });
    box.append(make("p", "", word("mediaFailed")), again);
    this.shown = undefined;
    this.body.replaceChildren(box);
  }
}

async function toggleFullScreen(element: HTMLElement): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await element.requestFullscreen?.();
}
