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
  const edge = 8;
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popup;
  const below = at.bottom + 4 + height <= innerHeight - edge || at.top < innerHeight / 2;
  const left = Math.max(edge, Math.min(at.left, innerWidth - width - edge));
  const top = below ? at.bottom + 4 : Math.max(edge, at.top - height - 4);
  popup.style.inset = `${top}px auto auto ${left}px`;
  popup.style.maxHeight = `${below ? innerHeight - top - edge : at.top - 4 - edge}px`;
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
