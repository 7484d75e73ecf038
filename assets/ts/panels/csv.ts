/** Write one field as RFC 4180 says; a leading sign that a spreadsheet would run as a formula is kept as text. */
export function field(value: unknown): string {
  const text = textOf(value);
  const safe =
    typeof value === "string" && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** JSON has no word for numbers that are not finite, and would say null. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
}

export function rows(lines: readonly (readonly unknown[])[]): string {
  return `${lines.map((line) => line.map(field).join(",")).join("\r\n")}\r\n`;
}

/** Give the browser a file to keep. */
export function saveFile(name: string, type: string, content: string | Blob): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  saveAddress(name, address);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Let the browser keep what is at an address. */
export function saveAddress(name: string, address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.click();
}
