export const SIZES = ["width", "height"] as const;

/** Where a picture of another host is shown from: this server, so that the other one hears of no reader. */
export function shownAt(src: string): string {
  return /^https?:/i.test(src) ? `/pictures/external?url=${encodeURIComponent(src)}` : "";
}

/** Write a picture as a tag, without attributes that say nothing. */
export function tagOf(attributes: Record<string, unknown>): string {
  const escaped = (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const parts = ["src", "alt", "title", ...SIZES].filter((name) => attributes[name]);
  return `<img ${parts.map((name) => `${name}="${escaped(String(attributes[name]))}"`).join(" ")}>`;
}
