import { highlight } from "../charts/highlight";

/** Let the lines of the run, or group, whose row is pointed at or has the focus stand out in all charts. */
export function liftFrom(rows: HTMLElement): void {
  const ownerOf = (target: EventTarget | null) => {
    const { uid, group } =
      (target as Element).closest<HTMLElement>("[data-uid], [data-group]")?.dataset ?? {};
    return uid ?? group ?? null;
  };
  for (const name of ["pointerover", "focusin"] as const)
    rows.addEventListener(name, ({ target }) => highlight(ownerOf(target)));
  for (const name of ["pointerleave", "focusout"] as const)
    rows.addEventListener(name, () => highlight(null));
}
