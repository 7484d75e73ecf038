/** Show a `popover` element below `anchor` (above, where there is no room), inside the window; focus goes to its first control. */
export function openAt(popup: HTMLElement, anchor: HTMLElement, { focus = true } = {}): void {
  if (!popup.matches(":popover-open")) popup.showPopover();
  place(popup, anchor);
  anchor.setAttribute("aria-expanded", "true");
  const close = (event: Event) => {
    if ((event as ToggleEvent).newState !== "closed") return;
    popup.removeEventListener("toggle", close);
    anchor.setAttribute("aria-expanded", "false");
    if (popup.contains(document.activeElement) || document.activeElement === document.body) anchor.focus();
  };
  popup.addEventListener("toggle", close);
  if (focus) popup.querySelector<HTMLElement>("[autofocus], .menu-item, input, button")?.focus();
}

/** Put `popup` beside `anchor`, inside the window. */
export function place(popup: HTMLElement, anchor: HTMLElement): void {
  const size = { width: popup.offsetWidth, height: popup.offsetHeight };
  const window = { width: innerWidth, height: innerHeight };
  const { left, top, mostHeight } = placeBeside(anchor.getBoundingClientRect(), size, window);
  popup.style.inset = `${top}px auto auto ${left}px`;
  popup.style.maxHeight = `${mostHeight}px`;
}

interface Size {
  width: number;
  height: number;
}

/** Pixels that a popup keeps from the edges of the window, and from what it belongs to. */
const EDGE = 8;
const GAP = 4;

/** Where a popup of a size goes: below its anchor, or above where there is more room. */
export function placeBeside(
  at: { left: number; top: number; bottom: number },
  { width, height }: Size,
  window: Size,
): { left: number; top: number; mostHeight: number } {
  const below = at.bottom + GAP + height <= window.height - EDGE || at.top < window.height / 2;
  const left = Math.max(EDGE, Math.min(at.left, window.width - width - EDGE));
  const top = below ? at.bottom + GAP : Math.max(EDGE, at.top - height - GAP);
  return { left, top, mostHeight: below ? window.height - top - EDGE : at.top - GAP - EDGE };
}

/** Let the arrow keys, Home and End walk the items of an open menu. */
export function walkMenu(menu: HTMLElement): void {
  menu.addEventListener("keydown", (event) => {
    const items = [...menu.querySelectorAll<HTMLElement>(".menu-item")].filter((item) => !item.hidden);
    const now = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined || !items.length) return;
    event.preventDefault();
    items.at(next % items.length)?.focus();
  });
}
