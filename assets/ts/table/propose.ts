import { Combobox, type Option } from "./combobox";

/** Proposals shown at once. */
const MOST = 50;

/** Show what a `<datalist>` proposes in a list of our own, with what each is. */
export function propose(input: HTMLInputElement, changed: () => void): void {
  const options = [...(input.list?.options ?? [])].map(
    ({ value, textContent }): Option => ({
      value,
      text: value,
      label: value,
      ...(textContent && textContent !== value ? { hint: textContent } : {}),
    }),
  );
  input.removeAttribute("list");
  new Combobox(input, {
    options: async () => matching(options, input.value),
    choose: ({ text }) => {
      input.value = text;
      changed();
    },
  });
}

/** Options that have every typed word, in their name or in what they are. */
function matching(options: Option[], typed: string): Option[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options.filter(({ label, hint }) => {
    const whole = `${label} ${hint ?? ""}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const isChosen = found.length === 1 && found[0]?.value === typed;
  return isChosen ? [] : found.slice(0, MOST);
}
