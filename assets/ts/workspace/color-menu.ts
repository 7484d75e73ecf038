import { one } from "../lib/dom";

/** Let somebody choose one of the colours of runs, in a menu below the button. */
export function pickColor(button: HTMLElement | null, picked: (color: number) => void): void {
  const menu = one<HTMLElement>("#color-menu");
  const choose = (event: Event) => {
    const color = (event.target as Element).closest<HTMLElement>("[data-color-choice]")?.dataset.colorChoice;
    if (color === undefined) return;
    picked(Number(color));
    menu.hidePopover();
    button?.focus();
  };
  menu.addEventListener("click", choose);
  menu.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState === "closed") menu.removeEventListener("click", choose);
  });
  const { left = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {};
  menu.style.left = `${left}px`;
  menu.style.top = `${bottom + 4}px`;
  menu.showPopover();
  menu.querySelector<HTMLElement>("button")?.focus();
}
