import { Catalogue } from "../table/catalogue";
import { enableExpression, type Filtered } from "../table/filter/expression";
import type { Selector } from "./selector";

/** The typed expression above the list of runs, with the grammar and completion of the runs table (RUN-22, RUN-26). */
class SelectorFilter extends EventTarget implements Filtered {
  readonly root = document.querySelector<HTMLElement>(".selector") as HTMLElement;
  readonly error = null;

  constructor(
    readonly url: string,
    private readonly selector: Selector,
  ) {
    super();
    selector.onFollow = () => this.dispatchEvent(new Event("state"));
  }

  get state(): { filter: string } {
    return { filter: this.selector.query().filter ?? "" };
  }

  change({ filter }: { filter: string }): Promise<void> {
    return this.selector.filterBy(filter);
  }
}

/** Returns what applies the expression as Enter does. */
export function enableFilter(url: string, selector: Selector): () => Promise<void> {
  const filter = new SelectorFilter(url, selector);
  return enableExpression(filter, new Catalogue(filter));
}
