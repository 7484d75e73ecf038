let words: Map<string, string> | undefined;

/**
 * The translated text a template left under `data-word`, with `{name}` replaced; the key itself when missing, as are
 * all in unit tests.
 */
export function word(key: string, values: Record<string, string | number> = {}): string {
  words ??= gather();
  const text = words.get(key) ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

function gather(): Map<string, string> {
  const found = new Map<string, string>();
  const templates = globalThis.document?.querySelectorAll<HTMLTemplateElement>("template[data-words]") ?? [];
  for (const template of templates) {
    for (const item of template.content.querySelectorAll<HTMLElement>("[data-word]")) {
      found.set(item.dataset.word ?? "", item.textContent?.trim() ?? "");
    }
  }
  return found;
}
