import { hasWords, wordsOf } from "../lib/matching";
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
    options: async () => proposed(options, input.value),
    choose: ({ text }) => {
      input.value = text;
      changed();
    },
  });
}

/** Options that have every typed word, in their name or in what they are; none where one is typed as a whole. */
export function proposed(options: readonly Option[], typed: string): Option[] {
  const words = wordsOf(typed);
  const found = options.filter(({ label, hint }) => hasWords(`${label} ${hint ?? ""}`, words));
  const isChosen = found.length === 1 && found[0]?.value === typed;
  return isChosen ? [] : found.slice(0, MOST);
}
