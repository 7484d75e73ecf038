import type { Color } from "../charts/palette";
import { one } from "../lib/dom";
import { place } from "../table/popup";

/** Let somebody choose a run's color in a menu below the button: `picked` gets undefined for its own color again. */
export function pickColor(
  button: HTMLElement | null,
  now: Color | undefined,
  picked: (color: Color | undefined) => void,
): void {
  const menu = one<HTMLElement>("#color-menu");
  const custom = one<HTMLInputElement>("[data-color-custom]", menu);
  const stop = new AbortController();
  const { signal } = stop;
  const close = (color: Color | undefined) => {
    picked(color);
    menu.hidePopover();
    button?.focus();
  };
  menu.addEventListener(
    "click",
    (event) => {
      const target = event.target as Element;
      const choice = target.closest<HTMLElement>("[data-color-choice]")?.dataset.colorChoice;
      if (choice !== undefined) close(Number(choice));
      else if (target.closest("[data-color-reset]")) close(undefined);
    },
    { signal },
  );
  custom.addEventListener("change", () => close(custom.value), { signal });
  menu.addEventListener(
    "toggle",
    (event) => {
      if ((event as ToggleEvent).newState === "closed") stop.abort();
    },
    { signal },
  );
  for (const choice of menu.querySelectorAll<HTMLElement>("[data-color-choice]"))
    choice.setAttribute("aria-pressed", String(choice.dataset.colorChoice === String(now)));
  if (typeof now === "string") custom.value = now;
  one<HTMLButtonElement>("[data-color-reset]", menu).disabled = now === undefined;
  menu.showPopover();
  if (button) place(menu, button);
  menu.querySelector<HTMLElement>("button")?.focus();
}
