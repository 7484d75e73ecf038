import { askJson } from "./server";

/** Projects that runs may be moved to, as far as they are listed; the server decides. */
export async function projects(): Promise<string[]> {
  const { results } = await askJson<{ results: { entity: string; name: string }[] }>("/api/v1/projects/");
  return results.map(({ entity, name }) => `${entity}/${name}`);
}
