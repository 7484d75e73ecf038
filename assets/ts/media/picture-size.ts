import { make, makeIcon } from "../lib/dom";
import { word } from "../lib/words";

/** How high pictures in cells are, pixels: at first, and what can be chosen. */
const FIRST_PX = 64;
const RANGE = { min: "24", max: "320", step: "8" };

/** A slider for the size of the pictures in the cells of a table. */
export class PictureSize {
  readonly element = make("span", "panel-picture-size");
  private readonly slider = make("input");

  /**
   * @param place - Where the pictures are.
   * @param chosen - Hears of a size in pixels once it is chosen.
   */
  constructor(
    private readonly place: HTMLElement,
    size: number = FIRST_PX,
    chosen?: (size: number) => void,
  ) {
    const { element, slider } = this;
    Object.assign(slider, { type: "range", ...RANGE, value: String(size) });
    slider.setAttribute("aria-label", word("imageSize"));
    slider.addEventListener("input", () => this.apply());
    slider.addEventListener("change", () => chosen?.(Number(slider.value)));
    element.title = word("imageSize");
    element.append(makeIcon("images"), slider);
    this.apply();
  }

  /** Hide the slider where there is nothing to see. */
  offer(): void {
    this.element.hidden = !this.place.querySelector(".cell-image, video");
  }

  private apply(): void {
    this.place.style.setProperty("--picture", `${this.slider.value}px`);
  }
}
