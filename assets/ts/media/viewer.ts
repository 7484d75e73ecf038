import { onRecolor, palette } from "../charts/palette";
import type { FromViewer, Theme, ToViewer } from "../frames/messages";
import { make } from "../lib/dom";
import { sandboxed } from "../lib/frames";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import { viewerNameOf } from "./kinds";
import { download, missing, textOf, tooLarge } from "./parts";
import type { Drawing, FileLink, Item } from "./wire";

/** Larger files are offered as downloads: a viewer takes ten times the size of its file in memory. */
const MOST_BYTES = 64 * 1024 * 1024;

const byBox = new WeakMap<Element, Viewer>();
const byWindow = new Map<MessageEventSource, Viewer>();
/** Only viewers near the window have a frame: browsers keep few WebGL contexts, and each has a library in it. */
const nearby = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const viewer = byBox.get(target);
      if (isIntersecting) viewer?.enter();
      else viewer?.leave();
    }
  },
  { rootMargin: "100px" },
);
let isListening = false;

type View = (
  item: Omit<Item, "kind">,
  from: Pick<Drawing, "files" | "key"> & { viewers: string },
) => HTMLElement;

/** What draws files of a kind in a sandboxed frame. */
export function viewerOf(kind: string): View | undefined {
  const name = viewerNameOf(kind);
  return name === undefined ? undefined : viewed(name);
}

function viewed(name: string): View {
  return ({ value, caption }, { files, viewers, key }) => {
    const path = textOf(value.path);
    const link = entryOf(files, path);
    if (!link) return missing(path);
    if (link.size > MOST_BYTES) return tooLarge(path, link, MOST_BYTES);
    const box = make("div", "media-framed");
    const viewer = new Viewer(`${viewers}${name}`, caption || key, path, link);
    box.append(viewer.element, download(path, link));
    return box;
  };
}

class Viewer {
  readonly element = make("div", "media-frame is-waiting");
  private frame: HTMLIFrameElement | undefined;
  private content: Promise<ArrayBuffer> | undefined;

  constructor(
    private readonly url: string,
    private readonly title: string,
    private readonly path: string,
    private readonly link: FileLink,
  ) {
    listen();
    byBox.set(this.element, this);
    nearby.observe(this.element);
  }

  enter(): void {
    if (this.frame) return;
    this.frame = sandboxed("", this.title, this.url);
    this.frame.style.colorScheme = themeNow().scheme; // one that differs from the page's would be drawn on white
    this.element.replaceChildren(this.frame);
    if (this.frame.contentWindow) byWindow.set(this.frame.contentWindow, this);
    this.content = read(this.link);
    this.content.catch(() => this.fail(word("mediaFailed")));
  }

  leave(): void {
    if (!this.frame) return;
    if (this.frame.contentWindow) byWindow.delete(this.frame.contentWindow);
    this.frame = undefined;
    this.element.replaceChildren();
    this.element.classList.add("is-waiting");
  }

  take(message: FromViewer): void {
    if (message.type === "ready") void this.show();
    else if (message.type === "drawn") this.element.classList.remove("is-waiting");
    else if (message.type === "failed") this.fail(String(message.text).slice(0, 500));
    else if (message.type === "escape") this.element.closest("dialog")?.requestClose?.();
  }

  recolor(): void {
    const theme = themeNow();
    if (this.frame) this.frame.style.colorScheme = theme.scheme;
    this.send({ type: "recolor", theme });
  }

  private async show(): Promise<void> {
    const content = await this.content?.catch(() => undefined);
    if (!content) return; // which was said already
    this.send({ type: "show", file: { name: this.path, content }, theme: themeNow() }, [content]);
  }

  private send(message: ToViewer, moved: Transferable[] = []): void {
    this.frame?.contentWindow?.postMessage(message, "*", moved); // it has no origin to name
  }

  private fail(text: string): void {
    if (!this.frame) return;
    nearby.unobserve(this.element);
    this.leave();
    this.element.classList.remove("is-waiting");
    this.element.classList.add("has-failed");
    this.element.append(make("p", "", text));
  }
}

async function read(link: FileLink): Promise<ArrayBuffer> {
  const reply = await fetch(link.url);
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  return reply.arrayBuffer();
}

function themeNow(): Theme {
  const { text, axis, grid, surface, runs } = palette();
  const scheme = document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light";
  return { scheme, text, axis, grid, surface, accent: runs[0] ?? text };
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  addEventListener("message", ({ source, data }: MessageEvent<FromViewer>) => {
    if (source) byWindow.get(source)?.take(data);
  });
  onRecolor(() => {
    for (const viewer of byWindow.values()) viewer.recolor();
  });
}
