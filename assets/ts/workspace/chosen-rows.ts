import { one } from "../lib/dom";

/** Rows above the list: runs that somebody pinned, and chosen ones that are not among those read so far. */
export class ChosenRows {
  private readonly pinnedList = one<HTMLElement>("[data-run-pinned]");
  private readonly otherList = one<HTMLElement>("[data-run-chosen]");

  /** @param url - Of the server's rows. */
  constructor(private readonly url: string) {}

  get pinned(): string[] {
    return idsIn(this.pinnedList);
  }

  get others(): string[] {
    return idsIn(this.otherList);
  }

  isPinnedRow(row: HTMLElement): boolean {
    return this.pinnedList.contains(row);
  }

  /** Pinned runs are there whatever the list is filtered by. */
  async readPinned(uids: readonly string[]): Promise<void> {
    const query = new URLSearchParams({ filter: "", search: "" });
    if (await this.read(this.pinnedList, query, uids)) this.sort(uids);
  }

  /** Of the runs that are listed now. */
  async readOthers(uids: readonly string[], asked: URLSearchParams): Promise<void> {
    await this.read(this.otherList, new URLSearchParams(asked), uids);
  }

  /** Take rows away that are in the list itself now. */
  leave(listed: ReadonlySet<string>): void {
    for (const row of rowsIn(this.otherList)) if (listed.has(row.dataset.uid ?? "")) row.remove();
  }

  private async read(list: HTMLElement, query: URLSearchParams, uids: readonly string[]): Promise<boolean> {
    if (!uids.length) {
      list.replaceChildren();
      return false;
    }
    for (const uid of uids) query.append("uid", uid);
    const reply = await fetch(`${this.url}?${query}`).catch(() => null);
    if (!reply?.ok) return false;
    list.innerHTML = await reply.text(); // the server's rows, already escaped
    return true;
  }

  private sort(uids: readonly string[]): void {
    const places = new Map(uids.map((uid, place) => [uid, place]));
    const place = (row: HTMLElement) => places.get(row.dataset.uid ?? "") ?? uids.length;
    this.pinnedList.append(...rowsIn(this.pinnedList).sort((a, b) => place(a) - place(b)));
  }
}

function rowsIn(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[data-uid]")];
}

function idsIn(list: HTMLElement): string[] {
  return rowsIn(list).map((row) => row.dataset.uid ?? "");
}
