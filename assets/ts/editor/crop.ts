import { toast } from "../lib/announce";
import { openDialog } from "../lib/dialogs";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import { type Middle, movedBy, type Square, squareAround } from "./crop-square";

/** How far an arrow key moves, in parts of what is shown. */
const STEP = 0.02;

/** Let people choose the square of a picture before it is sent; without a script the middle is taken. */
export function enableCropping(): void {
  const section = document.querySelector<HTMLElement>("[data-picture]");
  if (!section) return;
  const form = one<HTMLFormElement>("[data-picture-form]", section);
  const file = one<HTMLInputElement>("input[type=file]", form);
  const tool = new CropTool(section);
  one<HTMLElement>("[data-picture-send]", form).addEventListener("click", (event) => {
    event.preventDefault();
    file.click();
  });
  form.classList.add("has-crop");
  file.addEventListener("change", () => void begin(section, file, tool));
  one<HTMLButtonElement>("[data-crop-done]", section).addEventListener("click", (event) => {
    for (const [name, value] of Object.entries(tool.square()))
      one<HTMLInputElement>(`[name=${name}]`, form).value = String(value);
    (event.currentTarget as HTMLButtonElement).disabled = true;
    form.submit();
  });
  one<HTMLDialogElement>("dialog", section).addEventListener("close", () => {
    file.value = "";
  });
}

async function begin(section: HTMLElement, file: HTMLInputElement, tool: CropTool): Promise<void> {
  const chosen = file.files?.[0];
  if (!chosen) return;
  try {
    if (chosen.size > Number(section.dataset.maxBytes)) throw new Error("pictureTooLarge");
    tool.show(await decode(chosen));
    openDialog("crop");
    one<HTMLElement>("[data-crop-canvas]", section).focus();
  } catch (error) {
    file.value = "";
    const key = (error as Error).message === "pictureTooLarge" ? "pictureTooLarge" : "pictureUnreadable";
    toast(word(key), "error");
  }
}

/** Decode a file, turned as its EXIF says. Rejects when it is no picture of a type that is taken. */
async function decode(file: File): Promise<HTMLImageElement> {
  if (!["image/png", "image/jpeg", "image/webp"].includes(file.type)) throw new Error("pictureUnreadable");
  const image = new Image();
  const url = URL.createObjectURL(file);
  try {
    image.src = url;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A canvas that shows the square; the picture moves and grows behind it. */
class CropTool {
  private readonly canvas: HTMLCanvasElement;
  private readonly slider: HTMLInputElement;
  private image = new Image();
  private middle: Middle = { x: 0.5, y: 0.5 };

  constructor(root: ParentNode) {
    this.canvas = one("[data-crop-canvas]", root);
    this.slider = one("[data-crop-zoom]", root);
    this.slider.addEventListener("input", () => this.draw());
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("pointerdown", (event) => this.canvas.setPointerCapture(event.pointerId));
    this.canvas.addEventListener("pointermove", (event) => this.onDrag(event));
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.05 : 1 / 1.05);
      },
      { passive: false },
    );
  }

  show(image: HTMLImageElement): void {
    this.image = image;
    this.middle = { x: 0.5, y: 0.5 };
    this.slider.value = "1";
    this.draw();
  }

  /** The square under the frame, which never leaves the picture. */
  square(): Square {
    return squareAround(this.middle, Number(this.slider.value), this.size);
  }

  private get size(): { width: number; height: number } {
    return { width: this.image.naturalWidth, height: this.image.naturalHeight };
  }

  private zoom(by: number): void {
    this.slider.value = String(Number(this.slider.value) * by);
    this.draw();
  }

  /** Move by parts of the square. */
  private move(right: number, down: number): void {
    this.middle = movedBy(this.square(), right, down, this.size);
    this.draw();
  }

  private onDrag(event: PointerEvent): void {
    if (!this.canvas.hasPointerCapture(event.pointerId)) return;
    const { width } = this.canvas.getBoundingClientRect();
    this.move(-event.movementX / width, -event.movementY / width);
  }

  private onKey(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-STEP, 0],
      ArrowRight: [STEP, 0],
      ArrowUp: [0, -STEP],
      ArrowDown: [0, STEP],
    };
    const move = moves[event.key];
    if (move) this.move(...move);
    else if (event.key === "+" || event.key === "=") this.zoom(1.1);
    else if (event.key === "-") this.zoom(1 / 1.1);
    else return;
    event.preventDefault();
  }

  private draw(): void {
    const pen = this.canvas.getContext("2d");
    const { left, top, side } = this.square();
    const shown = this.canvas.width;
    if (!pen || !side) return;
    pen.imageSmoothingQuality = "high";
    pen.clearRect(0, 0, shown, shown);
    pen.drawImage(this.image, left, top, side, side, 0, 0, shown, shown);
  }
}
