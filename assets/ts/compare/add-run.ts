import { word } from "../lib/words";
import { Combobox, type Option } from "../table/combobox";
import { getText } from "../table/server";

/** Let a field find runs of the project by name, and compare the one chosen, too. */
export function enableAdding(input: HTMLInputElement, runsUrl: string, compared: readonly string[]): void {
  new Combobox(input, {
    options: async () =>
      (await findRuns(runsUrl, input.value)).filter(({ value }) => !compared.includes(value)),
    choose: ({ value }) => {
      const url = new URL(location.href);
      url.searchParams.append("runs", value);
      location.assign(url);
    },
  });
}

/** The newest runs whose name has the text: the rows of the runs table say them. */
async function findRuns(url: string, text: string): Promise<Option[]> {
  const query = new URLSearchParams({ part: "rows", search: text.trim() });
  const drawn = document.createElement("template");
  drawn.innerHTML = `<table>${await getText(`${url}?${query}`)}</table>`;
  return [...drawn.content.querySelectorAll<HTMLElement>("tr[data-uid]")].map(({ dataset }) => ({
    value: dataset.uid ?? "",
    text: dataset.name ?? "",
    label: dataset.name ?? "",
    hint: word(`state_${dataset.state}`),
  }));
}
