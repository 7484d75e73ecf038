import { askJson } from "./server";

export type ColumnType = "number" | "text" | "boolean" | "time" | "tags" | "mixed";

/** One column that runs of this project have. */
export interface ColumnInfo {
  name: string;
  label: string;
  part: "field" | "config" | "summary";
  type: ColumnType;
}

/** The columns and known values of a project; asked for once, when first needed. */
export class Catalogue {
  private asked: Promise<ColumnInfo[]> | undefined;
  private known: ColumnInfo[] = [];
  private readonly valuesOf = new Map<string, Promise<string[]>>();

  constructor(private readonly table: EventTarget & { readonly url: string }) {
    table.addEventListener("counted", () => this.forget());
  }

  /** All columns, fields first. */
  async columns(): Promise<ColumnInfo[]> {
    this.asked ??= askJson<{ columns: ColumnInfo[] }>(`${this.table.url}?part=columns`).then(
      ({ columns }) => {
        this.known = columns;
        return columns;
      },
      (error: unknown) => {
        this.asked = undefined;
        throw error;
      },
    );
    return this.asked;
  }

  /** The column of this name, as far as it is known by now. */
  find(name: string): ColumnInfo | undefined {
    return this.known.find((column) => column.name === name);
  }

  /** Values that runs have in a column, as an expression writes them, the most frequent first. */
  async values(column: string): Promise<string[]> {
    let values = this.valuesOf.get(column);
    if (!values) {
      const query = new URLSearchParams({ part: "values", column });
      values = askJson<{ values: string[] }>(`${this.table.url}?${query}`).then(
        (reply) => reply.values,
        () => [],
      );
      this.valuesOf.set(column, values);
    }
    return values;
  }

  private forget(): void {
    this.asked = undefined;
    this.valuesOf.clear();
  }
}
