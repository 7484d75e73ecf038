import type { SeriesReply } from "../charts/wire";
import type { RunInfo } from "./runs";

/** Write one field as RFC 4180 says; a leading sign that a spreadsheet would run as a formula is kept as text. */
export function field(value: unknown): string {
  const text =
    value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const safe =
    typeof value === "string" && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function rows(lines: readonly (readonly unknown[])[]): string {
  return `${lines.map((line) => line.map(field).join(",")).join("\r\n")}\r\n`;
}

/** One row per place on x, three columns per line: `<run id>/<key>/last`, `…/min`, `…/max`; all digits. */
export function csvOf(
  x: string,
  reply: SeriesReply,
  runs: readonly RunInfo[],
  keys: readonly string[],
): string {
  const head: string[] = [x];
  const columns: Map<number, unknown>[] = [];
  for (const { uid } of runs) {
    for (const key of keys) {
      const line = reply.series[uid]?.[key];
      if (!line) continue;
      const places = reply.x[line.x] ?? [];
      for (const part of ["last", "min", "max"] as const) {
        const values = line[part];
        if (!values) continue;
        head.push(`${uid}/${key}/${part}`);
        columns.push(new Map(places.map((place, i) => [place, values[i]])));
      }
    }
  }
  const places = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => a - b);
  return rows([head, ...places.map((place) => [place, ...columns.map((column) => column.get(place))])]);
}

/** Give the browser a file to keep. */
export function saveFile(name: string, type: string, content: string | Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
