/** Where the page of a run is; `runs` is the address of its project's runs. `.` and `..` would be resolved. */
export function runUrl(runs: string, uid: string): string {
  const isResolved = uid === "." || uid === "..";
  return `${runs}/${encodeURIComponent(isResolved ? `:${uid}` : uid)}`;
}

/** What a record holds for a run, whose id may be `constructor`. */
export function ofRun<T>(record: Readonly<Record<string, T>> | undefined, uid: string): T | undefined {
  return record && Object.hasOwn(record, uid) ? record[uid] : undefined;
}
