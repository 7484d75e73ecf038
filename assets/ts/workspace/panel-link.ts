/** A panel that the address names, as `#panel=val%2Floss` or `#panel=val%2Floss&full`. */
export interface LinkedPanel {
  id: string;
  /** Show it over the whole window. */
  full: boolean;
}

/** The address of a panel on this page. */
export function linkTo(id: string, full: boolean): string {
  const { origin, pathname, search } = location;
  return `${origin}${pathname}${search}${panelHash({ id, full })}`;
}

export function panelHash({ id, full }: LinkedPanel): string {
  return `#panel=${encodeURIComponent(id)}${full ? "&full" : ""}`;
}

/** The panel that the address names; null where it names none. */
export function linkedPanel(): LinkedPanel | null {
  return panelIn(location.hash);
}

export function panelIn(hash: string): LinkedPanel | null {
  const query = new URLSearchParams(hash.slice(1));
  const id = query.get("panel");
  return id ? { id, full: query.has("full") } : null;
}
