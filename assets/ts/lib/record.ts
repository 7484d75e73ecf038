/** What a record has under a name that people chose: never what all objects have, as under `constructor`. */
export function entryOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
