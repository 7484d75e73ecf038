import type { Section } from "./layout";
import { newId, type PanelSpec } from "./spec";
export function blankPanel(section?: Section): PanelSpec {
  return {
    id: newId(),
    kind: "line",
    source: "history",
    section: section?.name ?? "Charts",
    rank: section?.rank ?? 0,
    title: "",
    keys: [],
  };
}
export function openEditor(spec: PanelSpec, _stage: unknown): void {
  console.log(spec.id);
}
