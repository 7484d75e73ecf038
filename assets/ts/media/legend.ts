import { make } from "../lib/dom";
import { formatPercent, formatValue } from "../lib/format";
import { word } from "../lib/words";
import { colorOf } from "./class-colors";
import { type Look, lookOf } from "./look";

/** Steps of a slider from the least to the greatest score. */
const SCORE_STEPS = 100;

/** Switches of the layers over the pictures of a key and of their classes, their opacity, and the least scores. */
export function legend(key: string): HTMLElement {
  const look = lookOf(key);
  const box = make("div", "media-legend");
  let shownFor = "";
  let paints: (() => void)[] = [];
  look.follow(box, () => {
    box.hidden = !look.layers.size;
    const wanted = JSON.stringify([
      [...look.layers].map(([layer, classes]) => [layer, [...classes]]),
      [...look.scores],
    ]);
    if (wanted !== shownFor) {
      shownFor = wanted;
      const parts = [...layerParts(look), ...opacityParts(look), ...scoreParts(look)];
      paints = parts.map(([, paint]) => paint);
      box.replaceChildren(...parts.map(([element]) => element));
    }
    for (const paint of paints) paint();
  });
  return box;
}

/** An element, and how it shows what is chosen now. */
type Part = [element: HTMLElement, paint: () => void];

function layerParts(look: Look): Part[] {
  return [...look.layers].map(([layer, classes]) => {
    const line = make("div", "media-chips");
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", layer);
    const whole = chip(
      layer,
      () => look.shows(layer),
      () => look.toggle(layer),
    );
    const chips = [...classes].map(([number, name]) => {
      const isOn = () => look.hasClass(layer, number);
      const part = chip(name, isOn, () => look.toggle(layer, number));
      const swatch = make("i", "media-class");
      swatch.style.background = `rgb(${colorOf(number).join(" ")})`;
      part[0].prepend(swatch);
      return part;
    });
    line.append(...[whole, ...chips].map(([element]) => element));
    const paint = () => {
      for (const [, paintChip] of [whole, ...chips]) paintChip();
      line.classList.toggle("is-off", !look.shows(layer));
    };
    return [line, paint];
  });
}

function chip(name: string, isOn: () => boolean, toggle: () => void): Part {
  const button = make("button", "btn btn-sm toggle", name);
  button.type = "button";
  button.addEventListener("click", toggle);
  return [button, () => button.setAttribute("aria-pressed", String(isOn()))];
}

function opacityParts(look: Look): Part[] {
  if (!look.masks.size) return [];
  const choose = (value: number) => {
    look.opacity = value;
  };
  const choice = { value: () => look.opacity, text: formatPercent, choose };
  return [slider(look, word("opacity"), [0, 1], choice)];
}

function scoreParts(look: Look): Part[] {
  return [...look.scores].map(([name, range]) =>
    slider(look, word("leastScore", { name }), range, {
      value: () => look.least.get(name) ?? range[0],
      text: (value) => formatValue(Number(value.toPrecision(3))),
      choose: (value) => look.least.set(name, value),
    }),
  );
}

interface Choice {
  value(): number;
  text(value: number): string;
  choose(value: number): void;
}

function slider(
  look: Look,
  name: string,
  [least, most]: [number, number],
  { value, text, choose }: Choice,
): Part {
  const label = make("label", "media-range");
  const input = make("input");
  input.type = "range";
  input.min = String(least);
  input.max = String(most);
  input.step = most > least ? String((most - least) / SCORE_STEPS) : "any";
  const output = make("output", "num");
  input.addEventListener("input", () => {
    choose(Number(input.value));
    look.changed();
  });
  label.append(make("span", "", name), input, output);
  const paint = () => {
    input.value = String(value());
    output.textContent = text(value());
  };
  return [label, paint];
}
