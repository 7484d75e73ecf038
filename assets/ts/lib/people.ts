/** The lines of a field of people, names by blanks, commas or semicolons, with another one who is not there yet. */
export function withPerson(text: string, name: string): string {
  const people = text.split(/[\s,;]+/).filter(Boolean);
  return people.includes(name) ? text : [...people, name].join("\n");
}
