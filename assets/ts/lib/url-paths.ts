/** A path that people chose, as the end of an address, percent-encoded; common/web/url_paths.py reads it. */
export function urlPath(path: string): string {
  const parts = path.split("/").map((part) => (/^:*\.{0,2}$/.test(part) ? `:${part}` : part));
  return parts.map(encodeURIComponent).join("/");
}
