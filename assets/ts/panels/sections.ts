import { collate } from "../lib/format";
import type { Layout, Section } from "./layout";
import { isAdded, type PanelSpec, type SectionSettings } from "./spec";

/** Put a section before another one; null puts it last. */
export function moveSection(
  layout: Layout,
  sections: readonly Section[],
  name: string,
  before: string | null,
): void {
  layout.keep({ sections: placed(sections, name, before) });
}

/** Move a section by so many places; false where it is at the end already. */
export function shiftSection(
  layout: Layout,
  sections: readonly Section[],
  name: string,
  places: number,
): boolean {
  const others = sections.filter((section) => section.name !== name);
  const at = sections.findIndex((section) => section.name === name) + places;
  if (at < 0 || at > others.length) return false;
  moveSection(layout, sections, name, others[at]?.name ?? null);
  return true;
}

/** Add an empty section before another one; null puts it last. Returns its name. */
export function addSection(
  layout: Layout,
  sections: readonly Section[],
  title: string,
  before: string | null,
): string {
  const taken = new Set([...sections.map(({ name }) => name), ...(layout.state.added ?? [])]);
  let name = title;
  for (let n = 2; taken.has(name); n += 1) name = `${title} ${n}`;
  layout.keep({
    added: [...(layout.state.added ?? []), name],
    sections: placed(sections, name, before),
    open: { ...layout.state.open, [name]: true },
  });
  return name;
}

/** Call a section otherwise; its own name takes the change back. */
export function renameSection(layout: Layout, name: string, title: string): void {
  const { [name]: _former, ...titles } = layout.state.titles ?? {};
  const isOther = title !== "" && title !== name;
  layout.keep({ titles: isOther ? { ...titles, [name]: title } : titles });
}

export function setSection(layout: Layout, name: string, settings: SectionSettings): void {
  const { [name]: _former, ...others } = layout.state.settings ?? {};
  const isSet = Object.keys(settings).length > 0;
  layout.keep({ settings: isSet ? { ...others, [name]: settings } : others });
}

/** Order the panels of a section by their titles. */
export function sortSection(layout: Layout, { name, panels }: Section): void {
  const ids = [...panels].sort((a, b) => collate(a.title, b.title)).map(({ id }) => id);
  layout.keep({ order: { ...layout.state.order, [name]: ids } });
}

export function openAll(layout: Layout, sections: readonly Section[], open: boolean): void {
  layout.keep({ open: Object.fromEntries(sections.map(({ name }) => [name, open])) });
}

/** Which panels of a section came from other ones, and can return to them. */
export function visitorsOf({ name, panels }: Section, generated: readonly PanelSpec[]): PanelSpec[] {
  const homes = new Map(generated.map(({ id, section }) => [id, section]));
  return panels.filter(({ id }) => (homes.get(id) ?? name) !== name);
}

/** Take a section away; its visitors return to where they came from, all others go with it. */
export function deleteSection(layout: Layout, section: Section, returning: readonly PanelSpec[]): void {
  const { state } = layout;
  const back = new Set(returning.map(({ id }) => id));
  const gone = section.panels.filter(({ id }) => !back.has(id));
  const kept = Object.entries(state.panels ?? {}).filter(
    ([id]) => back.has(id) || !isAdded(id) || !gone.some((other) => other.id === id),
  );
  const panels = kept.map(([id, spec]) => {
    const { section: _section, rank: _rank, group: _group, ...others } = spec;
    return [id, back.has(id) ? others : spec];
  });
  layout.keep({
    panels: Object.fromEntries(panels),
    removed: [...(state.removed ?? []), ...gone.map(({ id }) => id).filter((id) => !isAdded(id))],
    added: (state.added ?? []).filter((name) => name !== section.name),
    sections: (state.sections ?? []).filter((name) => name !== section.name),
  });
}

function placed(sections: readonly Section[], name: string, before: string | null): string[] {
  const names = sections.map((section) => section.name).filter((other) => other !== name);
  const at = before === null ? -1 : names.indexOf(before);
  names.splice(at < 0 ? names.length : at, 0, name);
  return names;
}
