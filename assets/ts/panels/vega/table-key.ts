/** Find which table has a chart's rows: what the SDK wrote into its query, else `<key>_table`. */
export function tableKeyOf(key: string, chart: Record<string, unknown> | undefined): string {
  const found = /"tableKey","value":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(chart ?? {}));
  return found ? (JSON.parse(`"${found[1]}"`) as string) : `${key}_table`;
}
