/** What the server said no to, in its own words. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** Character of an expression, from 0, where one is meant. */
    readonly position: number | null = null,
    /** The version that is saved, where a change began from an earlier one. */
    readonly version: number | null = null,
  ) {
    super(message);
  }
}

/** GET a fragment of a page. Rejects with a `Refusal` on any status but 2xx. */
export async function getText(url: string, signal?: AbortSignal): Promise<string> {
  const headers = { Accept: "text/html", "HX-Request": "true" };
  const reply = await fetch(url, { headers, ...(signal ? { signal } : {}) });
  if (!reply.ok) throw new Refusal(reply.statusText || String(reply.status), reply.status);
  return reply.text();
}

/** Ask for JSON, by POST, PATCH or DELETE with `body`. Rejects with a `Refusal` that says why. */
export async function askJson<T>(
  url: string,
  method: "GET" | "POST" | "PATCH" | "DELETE" = "GET",
  body?: unknown,
  keepalive = false,
): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = document.body.dataset.csrf ?? "";
  if (body !== undefined && !(body instanceof URLSearchParams)) headers["Content-Type"] = "application/json";
  const content = body === undefined ? null : body instanceof URLSearchParams ? body : JSON.stringify(body);
  const reply = await fetch(url, { method, headers, body: content, keepalive });
  if (!reply.ok) throw await refusalOf(reply);
  return (reply.status === 204 ? undefined : await reply.json()) as T;
}

interface ErrorBody {
  error?: { message?: string; detail?: { position?: number; version?: number } | null };
}

async function refusalOf(reply: Response): Promise<Refusal> {
  const { error } = (await reply.json().catch(() => ({}))) as ErrorBody;
  const { position = null, version = null } = error?.detail ?? {};
  return new Refusal(error?.message ?? reply.statusText, reply.status, position, version);
}
