type Listener = (owner: string | null) => void;

const listeners = new Set<Listener>();

/** Let the lines of a run, or of a group by its path, stand out in all charts; null lets all be alike again. */
export function highlight(owner: string | null, except?: Listener): void {
  for (const listener of listeners) if (listener !== except) listener(owner);
}

/** Hear what is to stand out; returns what ends it. */
export function onHighlight(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
