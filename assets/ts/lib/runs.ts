/** Where the page of a run is; `runs` is the address of its project's runs. `.` and `..` would be resolved. */
export function runUrl(runs: string, uid: string): string {
  const isResolved = uid === "." || uid === "..";
  return `${runs}/${encodeURIComponent(isResolved ? `:${uid}` : uid)}`;
}
