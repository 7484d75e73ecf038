/** What the library calls the formats that the SDK takes, by the endings of files. */
const FORMATS: Record<string, string> = {
  pdb: "pdb",
  pqr: "pqr",
  mmcif: "mcif",
  mcif: "mcif",
  cif: "cif",
  sdf: "sdf",
  sd: "sdf",
  mol: "sdf",
  gro: "gro",
  mol2: "mol2",
  mmtf: "mmtf",
};
const BINARY = new Set(["mmtf"]);

/** The format of a file by its name; undefined for what the library cannot read. */
export function formatOf(name: string): { ending: string; format: string | undefined; isBinary: boolean } {
  const ending = name.split(".").pop()?.toLowerCase() ?? "";
  const format = Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined;
  return { ending, format, isBinary: BINARY.has(ending) };
}
