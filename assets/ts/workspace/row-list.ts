import { one } from "../lib/dom";

/** The rows of the list of runs, read page by page; the server writes them. */
export class RowList {
  private readonly list = one<HTMLElement>("[data-run-rows]");
  private reading: AbortController | undefined;
  private readingMore: Promise<boolean> | undefined;

  /**
   * @param asked - Which runs are listed, in which order.
   * @param learn - Called when rows have come.
   */
  constructor(
    private readonly url: string,
    private readonly asked: () => URLSearchParams,
    private readonly learn: () => void,
  ) {}

  /** Ids of all runs that are listed so far. */
  get ids(): string[] {
    return [...this.list.querySelectorAll<HTMLElement>("[data-uid]")].map((row) => row.dataset.uid ?? "");
  }

  /** How many runs there are, read or not. */
  get total(): number {
    return Number(one<HTMLElement>("[data-total]", this.list).dataset.total ?? "0");
  }

  /** Read the first rows anew; false when they could not be read. */
  async begin(): Promise<boolean> {
    const html = await this.read("0");
    if (html !== null) this.list.innerHTML = html;
    return html !== null;
  }

  /** Read the next rows; false when there are no more. Who asks meanwhile waits for the same ones. */
  more(): Promise<boolean> {
    this.readingMore ??= this.readNext().finally(() => {
      this.readingMore = undefined;
    });
    return this.readingMore;
  }

  private async readNext(): Promise<boolean> {
    const last = [...this.list.querySelectorAll<HTMLElement>("[data-next]")].at(-1);
    const offset = last?.dataset.next;
    if (!offset) return false;
    const html = await this.read(offset);
    if (html === null || !last?.isConnected) return false;
    last.dataset.next = "";
    this.list.insertAdjacentHTML("beforeend", html);
    this.learn();
    return true;
  }

  /** The server's rows, already escaped; null when they could not be read or another question came since. */
  private async read(offset: string): Promise<string | null> {
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    const query = this.asked();
    query.set("offset", offset);
    const failed = one<HTMLElement>("[data-run-error]");
    try {
      const reply = await fetch(`${this.url}?${query}`, { signal: reading.signal });
      failed.hidden = reply.ok;
      return reply.ok ? await reply.text() : null;
    } catch {
      if (!reading.signal.aborted) failed.hidden = false;
      return null;
    }
  }
}
