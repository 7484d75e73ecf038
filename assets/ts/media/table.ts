import { make, makeIcon } from "../lib/dom";
import { formatCount, formatValue } from "../lib/format";
import { getJson } from "../lib/http";
import { readJson } from "../lib/json";
import { word } from "../lib/words";
import { download, missing, textOf } from "./parts";
import type { Drawing, FileLink } from "./wire";

const PER_PAGE = 25;
const LONGEST_CELL = 200;

interface Content {
  columns: (string | number)[];
  data: unknown[][];
}

/** A logged table: sort by its heads, filter, page; pictures in its cells. */
export function table(value: Record<string, unknown>, drawing: Drawing): HTMLElement {
  const box = make("div", "media-table");
  const path = textOf(value.path);
  const link = drawing.files[path];
  if (!link) {
    box.append(missing(path));
    return box;
  }
  box.append(make("div", "skeleton media-wait"));
  void read(link).then(
    (content) => new TableView(box, content, drawing.urls.files, path, link).draw(),
    () => box.replaceChildren(make("p", "muted", word("tableFailed")), download(path, link)),
  );
  return box;
}

async function read(link: FileLink): Promise<Content> {
  const reply = await fetch(link.url);
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  return readJson(await reply.text(), (word) => `"${word}"`) as Content;
}

class TableView {
  private rows: unknown[][];
  private page = 0;
  private sortedBy = -1;
  private direction: 1 | -1 = 1;
  private filter = "";
  private readonly body = make("div", "table-wrap");
  private readonly foot = make("div", "pager");

  constructor(
    private readonly box: HTMLElement,
    private readonly content: Content,
    private readonly filesUrl: string,
    private readonly path: string,
    private readonly link: FileLink,
  ) {
    this.rows = content.data;
    const search = make("input", "form-control form-control-sm");
    search.type = "search";
    search.placeholder = word("filterRows");
    search.setAttribute("aria-label", word("filterRows"));
    search.addEventListener("input", () => {
      this.filter = search.value.toLowerCase();
      this.page = 0;
      this.arrange();
    });
    this.box.replaceChildren(search, this.body, this.foot);
  }

  private arrange(): void {
    const wanted = this.filter;
    this.rows = wanted
      ? this.content.data.filter((row) => row.some((cell) => plain(cell).toLowerCase().includes(wanted)))
      : [...this.content.data];
    const at = this.sortedBy;
    if (at >= 0) this.rows.sort((one, other) => this.direction * compare(one[at], other[at]));
    this.draw();
  }

  draw(): void {
    const shown = this.rows.slice(this.page * PER_PAGE, (this.page + 1) * PER_PAGE);
    const element = make("table", "data-table");
    const head = make("tr");
    this.content.columns.forEach((name, at) => {
      head.append(this.headCell(String(name), at));
    });
    element.append(make("thead"), make("tbody"));
    element.tHead?.append(head);
    for (const row of shown) {
      const line = make("tr");
      line.append(...row.map((cell) => this.cell(cell)));
      element.tBodies[0]?.append(line);
    }
    this.body.replaceChildren(element);
    this.drawFoot();
    void this.loadPictures(shown);
  }

  private headCell(name: string, at: number): HTMLElement {
    const cell = make("th");
    cell.scope = "col";
    const button = make("button", "sort-button", name);
    button.type = "button";
    if (at === this.sortedBy) {
      cell.setAttribute("aria-sort", this.direction === 1 ? "ascending" : "descending");
      button.append(makeIcon(this.direction === 1 ? "chevron-up" : "chevron-down"));
    }
    button.addEventListener("click", () => {
      this.direction = at === this.sortedBy && this.direction === 1 ? -1 : 1;
      this.sortedBy = at;
      this.page = 0;
      this.arrange();
    });
    cell.append(button);
    return cell;
  }

  private cell(value: unknown): HTMLElement {
    const cell = make("td");
    if (typeof value === "number") {
      cell.className = "num end";
      cell.textContent = formatValue(value);
      cell.title = String(value);
    } else if (typeof value === "object" && value !== null && "path" in value) {
      cell.dataset.path = textOf((value as { path: unknown }).path);
    } else {
      const text = plain(value);
      cell.textContent = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
      cell.title = text;
    }
    return cell;
  }

  private async loadPictures(rows: unknown[][]): Promise<void> {
    const paths = new Set<string>();
    for (const cell of rows.flat())
      if (typeof cell === "object" && cell !== null && "path" in cell)
        paths.add(textOf((cell as { path: unknown }).path));
    if (!paths.size) return;
    const query = new URLSearchParams([...paths].map((path) => ["path", path]));
    const { files } = await getJson<{ files: Record<string, FileLink> }>(`${this.filesUrl}?${query}`).catch(
      () => ({ files: {} as Record<string, FileLink> }),
    );
    for (const cell of this.body.querySelectorAll<HTMLElement>("[data-path]")) {
      const path = cell.dataset.path ?? "";
      const link = files[path];
      if (link?.type.startsWith("image/")) {
        const image = make("img", "cell-image");
        image.src = link.url;
        image.alt = path;
        image.loading = "lazy";
        cell.replaceChildren(image);
      } else cell.replaceChildren(download(path, link));
    }
  }

  private drawFoot(): void {
    const pages = Math.max(1, Math.ceil(this.rows.length / PER_PAGE));
    const button = (icon: string, label: string, page: number) => {
      const made = make("button", "icon-button");
      made.type = "button";
      made.append(makeIcon(icon));
      made.setAttribute("aria-label", label);
      made.disabled = page < 0 || page >= pages;
      made.addEventListener("click", () => {
        this.page = page;
        this.draw();
      });
      return made;
    };
    const place = make("span", "row-line");
    place.append(
      button("chevron-left", word("previousPage"), this.page - 1),
      make("span", "num", `${this.page + 1} / ${pages}`),
      button("chevron-right", word("nextPage"), this.page + 1),
    );
    const count = make("span", "num", word("rowCount", { n: formatCount(this.rows.length) }));
    this.foot.replaceChildren(count, place, download(this.path, this.link));
  }
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Numbers before texts, nothing last. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const rank = (value: unknown) =>
    value === null || value === undefined ? 2 : typeof value === "number" ? 0 : 1;
  return rank(one) - rank(other) || plain(one).localeCompare(plain(other));
}
