/** A panel with a slider for the step. */
interface Stepping {
  /** Another panel of its section has moved to this step. */
  stepped(step: number): void;
}

/** Panels of a section move together, so that what was logged at one step is seen together. */
class Section {
  readonly panels = new Set<Stepping>();
  step: number | undefined;
}

const sections = new Map<string, Section>();

function sectionOf(name: string): Section {
  const section = sections.get(name) ?? new Section();
  sections.set(name, section);
  return section;
}

export function joinSection(name: string, panel: Stepping): void {
  sectionOf(name).panels.add(panel);
}

export function leaveSection(name: string, panel: Stepping): void {
  sectionOf(name).panels.delete(panel);
}

/** The step that panels of a section were moved to; undefined before any was. */
export function stepOf(name: string): number | undefined {
  return sectionOf(name).step;
}

/** Move the other panels of a section to the step that one of them is at. */
export function tellSection(name: string, from: Stepping, step: number): void {
  const section = sectionOf(name);
  section.step = step;
  for (const panel of section.panels) if (panel !== from) panel.stepped(step);
}
