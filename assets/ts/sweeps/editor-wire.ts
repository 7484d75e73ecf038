/** A sentence about a path of the configuration; `line` counts from 1. */
export interface Problem {
  path: string;
  message: string;
  line: number | null;
}

/** One parameter; without a kind only the text shows it. */
export interface Row {
  name: string;
  kind: string;
  fields: Record<string, string>;
  says: string;
}

/** What the form shows of a text. */
export interface FormState {
  fields: Record<string, string>;
  is_early: boolean;
  retries: boolean;
  parameters: Row[];
  left: string[];
}

/** What the server says of a text, after a change that it was asked to make. */
export interface Check {
  text: string;
  refused: string;
  errors: Problem[];
  warnings: Problem[];
  summary: string;
  points: number | null;
  form: FormState | null;
  has_comments: boolean;
}

/** What somebody did in the form. */
export interface Change {
  parameter?: string;
  field: string;
  typed: string;
}

/** Ask the server at `url` about a text. Rejects on any status but 2xx. */
export async function askCheck(url: string, text: string, change?: Change): Promise<Check> {
  const body = new URLSearchParams({ part: "check", text });
  if (change) body.set("change", JSON.stringify(change));
  const headers = { Accept: "application/json", "X-CSRFToken": document.body.dataset.csrf ?? "" };
  const reply = await fetch(url, { method: "POST", headers, body });
  if (!reply.ok) throw new Error(`${url}: status ${reply.status}`);
  return (await reply.json()) as Check;
}
