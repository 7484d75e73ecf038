import { make } from "../lib/dom";
import { missing } from "./parts";
import type { Drawing } from "./wire";

/** Okabe and Ito's colours, as red, green and blue; a class has the one of its number. */
const PALETTE: [number, number, number][] = [
  [230, 159, 0],
  [86, 180, 233],
  [0, 158, 115],
  [240, 228, 66],
  [0, 114, 178],
  [213, 94, 0],
  [204, 121, 167],
  [120, 120, 140],
];
const MASK_ALPHA = 120;

interface Box {
  position: Record<string, unknown>;
  domain?: string;
  class_id?: number;
  box_caption?: string;
}
interface Layer {
  name: string;
  path: string;
}

/** Layers over pictures that the person has switched off, by key and name. */
const hidden = new Set<string>();

/** A picture with its masks and boxes; chips below switch them. */
export function layered(
  image: HTMLImageElement,
  value: Record<string, unknown>,
  drawing: Drawing,
): HTMLElement {
  const masks = layersOf(value.masks);
  const boxes = layersOf(value.boxes);
  if (!masks.length && !boxes.length) return image;
  const frame = make("div", "media-layers");
  const ratio = Number(value.width) / Number(value.height);
  if (ratio > 0 && Number.isFinite(ratio)) frame.style.setProperty("--ratio", String(ratio));
  frame.append(image);
  const chips = make("div", "media-chips");
  for (const layer of masks) {
    const canvas = make("canvas");
    frame.append(canvas);
    chips.append(chip(layer.name, drawing.key, canvas));
    void drawMask(canvas, layer, drawing).catch(() => canvas.remove());
  }
  for (const layer of boxes) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    frame.append(svg);
    chips.append(chip(layer.name, drawing.key, svg));
    void drawBoxes(svg, layer, drawing, value).catch(() => svg.remove());
  }
  const whole = make("div");
  whole.append(frame, chips);
  return whole;
}

function layersOf(value: unknown): Layer[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Record<string, { path?: unknown }>).flatMap(([name, { path }]) =>
    typeof path === "string" ? [{ name, path }] : [],
  );
}

function chip(name: string, key: string, layer: HTMLElement | SVGElement): HTMLElement {
  const id = `${key}\n${name}`;
  const button = make("button", "btn btn-sm toggle", name);
  button.type = "button";
  for (const part of [button, layer]) part.dataset.layer = id;
  button.addEventListener("click", () => {
    if (!hidden.delete(id)) hidden.add(id);
    for (const part of document.querySelectorAll<HTMLElement | SVGElement>("[data-layer]"))
      if (part.dataset.layer === id) show(part);
  });
  show(button);
  show(layer);
  return button;
}

/** Show whether a layer is switched off: of all pictures of its key alike, those of other runs too. */
function show(part: HTMLElement | SVGElement): void {
  const isHidden = hidden.has(part.dataset.layer ?? "");
  if (part instanceof HTMLButtonElement) part.setAttribute("aria-pressed", String(!isHidden));
  else part.classList.toggle("is-hidden", isHidden);
}

function colorOf(number: number): [number, number, number] {
  return PALETTE[number % PALETTE.length] ?? [120, 120, 140];
}

/** A mask is a grey picture whose values are class numbers; 0 is drawn only when it has a name other than none. */
async function drawMask(canvas: HTMLCanvasElement, { path }: Layer, { files }: Drawing): Promise<void> {
  const link = files[path];
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
  for (let i = 0; i < pixels.data.length; i += 4) {
    const number = pixels.data[i] ?? 0;
    const [red, green, blue] = colorOf(number);
    pixels.data.set([red, green, blue, number === 0 ? 0 : MASK_ALPHA], i);
  }
  context.putImageData(pixels, 0, 0);
}

async function drawBoxes(
  svg: SVGSVGElement,
  { name, path }: Layer,
  { files, key, labels }: Drawing,
  { width = 1, height = 1 }: Record<string, unknown>,
): Promise<void> {
  const link = files[path];
  if (!link) return;
  const reply = await fetch(link.url);
  const body = (await reply.json()) as { box_data?: Box[]; class_labels?: Record<string, string> };
  const names = body.class_labels ?? labels[`${key}_wandb_delimeter_${name}`]?.value ?? {};
  const size: [number, number] = [Number(width), Number(height)];
  svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  for (const box of body.box_data ?? []) addBox(svg, box, names, size);
}

function addBox(
  svg: SVGSVGElement,
  box: Box,
  names: Record<string, string>,
  [width, height]: [number, number],
): void {
  const [x, y, w, h] = placeOf(box, width, height);
  const [red, green, blue] = colorOf(box.class_id ?? 0);
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ x, y, width: w, height: h }))
    shape.setAttribute(name, String(value));
  shape.setAttribute("stroke", `rgb(${red} ${green} ${blue})`);
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = box.box_caption ?? names[String(box.class_id)] ?? "";
  shape.append(title);
  svg.append(shape);
}

function placeOf({ position, domain }: Box, width: number, height: number): number[] {
  const [across, down] = domain === "pixel" ? [1, 1] : [width, height];
  const of = (name: string) => Number(position[name] ?? 0);
  if (Array.isArray(position.middle)) {
    const [x = 0, y = 0] = position.middle.map(Number);
    const [w, h] = [of("width"), of("height")];
    return [(x - w / 2) * across, (y - h / 2) * down, w * across, h * down];
  }
  return [
    of("minX") * across,
    of("minY") * down,
    (of("maxX") - of("minX")) * across,
    (of("maxY") - of("minY")) * down,
  ];
}
