import { Combobox } from "../table/combobox";
import { projects } from "../table/projects";

/** Offer projects while the one to move the run to is typed. */
export function enableMove(): void {
  const input = document.querySelector<HTMLInputElement>("[data-move-to]");
  if (!input) return;
  new Combobox(input, {
    options: async () => {
      const typed = input.value.toLowerCase();
      const found = (await projects()).filter(
        (name) => name.toLowerCase().includes(typed) && name !== input.value,
      );
      return found.map((value) => ({ value, text: value, label: value }));
    },
    choose: ({ value }) => {
      input.value = value;
    },
    enter: () => input.form?.requestSubmit(),
  });
}
