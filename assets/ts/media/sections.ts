/** The section that a key belongs to: all before its last slash or dot; "" for none. */
export function sectionOf(key: string): string {
  const at = Math.max(key.lastIndexOf("/"), key.lastIndexOf("."));
  return at > 0 ? key.slice(0, at) : "";
}
