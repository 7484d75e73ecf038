import { make } from "../lib/dom";
import { entryOf } from "../lib/record";
import { colorOf } from "./class-colors";
import { lookOf } from "./look";
import { missing, textOf } from "./parts";
import type { Drawing } from "./wire";

export interface Box {
  position: Record<string, unknown>;
  domain?: string;
  class_id?: number;
  box_caption?: string;
  scores?: Record<string, number>;
}
export interface Layer {
  name: string;
  path: string;
}

/** A picture with its masks and boxes over it, as the look of its key says. */
export function layered(
  image: HTMLImageElement,
  value: Record<string, unknown>,
  drawing: Drawing,
): HTMLElement {
  const [masks, boxes] = [layersOf(value.masks), layersOf(value.boxes)];
  if (!masks.length && !boxes.length) return image;
  const look = lookOf(drawing.key);
  const frame = make("div", "media-layers");
  const ratio = Number(value.width) / Number(value.height);
  if (ratio > 0 && Number.isFinite(ratio)) frame.style.setProperty("--ratio", String(ratio));
  frame.append(image);
  for (const layer of masks) {
    look.addLayer(layer.name, true);
    const canvas = make("canvas");
    frame.append(canvas);
    void drawMask(canvas, layer, drawing).catch(() => canvas.remove());
  }
  for (const layer of boxes) {
    look.addLayer(layer.name, false);
    const place = make("div", "media-boxes");
    frame.append(place);
    void drawBoxes(place, layer, drawing, value).catch(() => place.remove());
  }
  return frame;
}

/** Masks or boxes that have a file. */
export function layersOf(value: unknown): Layer[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Record<string, { path?: unknown }>).flatMap(([name, { path }]) =>
    typeof path === "string" ? [{ name, path }] : [],
  );
}

/** What classes of a layer are called, as the run's config says. */
export function namesOf(
  { key, labels }: Pick<Drawing, "key" | "labels">,
  layer: string,
): Record<string, string> {
  return labels[`${key}_wandb_delimeter_${layer}`]?.value ?? {};
}

function named(numbers: Iterable<number>, names: Record<string, string>): Map<number, string> {
  return new Map([...numbers].map((number) => [number, textOf(names[String(number)], String(number))]));
}

/** A mask is a grey picture whose values are class numbers. */
async function drawMask(canvas: HTMLCanvasElement, { name, path }: Layer, drawing: Drawing): Promise<void> {
  const link = entryOf(drawing.files, path);
  if (!link) {
    canvas.replaceWith(missing(path));
    return;
  }
  const picture = new Image();
  picture.src = link.url;
  await picture.decode();
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.drawImage(picture, 0, 0);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  const numbers = Uint8Array.from({ length: pixels.data.length / 4 }, (_, at) => pixels.data[at * 4] ?? 0);
  const seen = new Set(numbers);
  const look = lookOf(drawing.key);
  look.addClasses(name, named(seen, namesOf(drawing, name)));
  let shownFor = "";
  look.follow(canvas, () => {
    canvas.classList.toggle("is-hidden", !look.shows(name));
    canvas.style.opacity = String(look.opacity);
    const shown = [...seen].filter((number) => look.hasClass(name, number));
    if (shown.join() === shownFor) return;
    shownFor = shown.join();
    paintMask(context, pixels, numbers, new Set(shown));
  });
}

function paintMask(
  context: CanvasRenderingContext2D,
  pixels: ImageData,
  numbers: Uint8Array,
  shown: ReadonlySet<number>,
): void {
  for (const [at, number] of numbers.entries())
    pixels.data.set([...colorOf(number), shown.has(number) ? 255 : 0], at * 4);
  context.putImageData(pixels, 0, 0);
}

async function drawBoxes(
  place: HTMLElement,
  { name, path }: Layer,
  drawing: Drawing,
  { width = 1, height = 1 }: Record<string, unknown>,
): Promise<void> {
  const link = entryOf(drawing.files, path);
  if (!link) return;
  const reply = await fetch(link.url);
  const body = (await reply.json()) as { box_data?: Box[]; class_labels?: Record<string, string> };
  const boxes = body.box_data ?? [];
  const classes = named(boxes.map(classOf), body.class_labels ?? namesOf(drawing, name));
  const look = lookOf(drawing.key);
  for (const { scores = {} } of boxes)
    for (const [score, value] of Object.entries(scores)) look.addScore(score, value);
  look.addClasses(name, classes);
  const drawn = boxes.map((box) => boxElement(box, classes, [Number(width), Number(height)]));
  place.append(...drawn);
  look.follow(place, () => {
    place.classList.toggle("is-hidden", !look.shows(name));
    for (const [at, box] of boxes.entries()) {
      const isShown = look.hasClass(name, classOf(box)) && look.passes(box.scores ?? {});
      drawn[at]?.classList.toggle("is-hidden", !isShown);
    }
  });
  look.changed(); // scores may be new
}

function classOf({ class_id }: Box): number {
  return class_id ?? 0;
}

function boxElement(box: Box, classes: ReadonlyMap<number, string>, size: [number, number]): HTMLElement {
  const element = make("div", "media-box");
  const [left, top, width, height] = placeOf(box, size);
  Object.assign(element.style, {
    left: percent(left),
    top: percent(top),
    width: percent(width),
    height: percent(height),
  });
  element.style.setProperty("--class-color", `rgb(${colorOf(classOf(box)).join(" ")})`);
  const text = box.box_caption ?? classes.get(classOf(box)) ?? "";
  element.title = [text, ...Object.entries(box.scores ?? {}).map(([name, score]) => `${name} ${score}`)].join(
    "\n",
  );
  if (text) element.append(make("span", "", text));
  return element;
}

function percent(share: number): string {
  return `${share * 100}%`;
}

/** Left, top, width and height as shares of the picture. */
export function placeOf(
  { position, domain }: Box,
  [width, height]: [number, number],
): [number, number, number, number] {
  const [across, down] = domain === "pixel" ? [width, height] : [1, 1];
  const of = (name: string) => Number(position[name] ?? 0);
  if (Array.isArray(position.middle)) {
    const [x = 0, y = 0] = position.middle.map(Number);
    const [w, h] = [of("width"), of("height")];
    return [(x - w / 2) / across, (y - h / 2) / down, w / across, h / down];
  }
  return [
    of("minX") / across,
    of("minY") / down,
    (of("maxX") - of("minX")) / across,
    (of("maxY") - of("minY")) / down,
  ];
}
