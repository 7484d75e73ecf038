import { one } from "../lib/dom";

/** Let `[data-image-compare]` show two pictures beside each other, with a divider over both, or what differs. */
export function enableImageCompare(): void {
  const root = document.querySelector<HTMLElement>("[data-image-compare]");
  if (root) enable(root);
}

function enable(root: HTMLElement): void {
  const divider = one<HTMLInputElement>("[data-image-divider]", root);
  const views = one<HTMLElement>("[data-image-views]", root);
  const tools = one<HTMLElement>("[data-image-tools]", root);
  const divide = () => views.style.setProperty("--divider", `${divider.value}%`);

  tools.hidden = false;
  tools.addEventListener("click", (event) => {
    const part = (event.target as Element).closest<HTMLElement>("[data-shows]")?.dataset.shows;
    if (part) show(root, part);
  });
  divider.addEventListener("input", divide);
  views.addEventListener("pointermove", (event) => {
    if (root.dataset.shown !== "divider" || !event.buttons) return;
    const { left, width } = views.getBoundingClientRect();
    divider.value = String(((event.clientX - left) / width) * 100);
    divide();
  });
  divide();
}

/** Show one of "sides", "divider" and "difference". */
function show(root: HTMLElement, part: string): void {
  root.dataset.shown = part;
  for (const button of root.querySelectorAll<HTMLElement>("[data-shows]"))
    button.setAttribute("aria-pressed", String(button.dataset.shows === part));
}
