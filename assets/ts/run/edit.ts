/** What an edit answers: the run's fields as they are now. */
export interface RunFields {
  display_name: string;
  notes: string;
  group: string;
  job_type: string;
  tags: string[];
}

/** POST fields to `url`. Rejects with the server's words when it refuses. */
export async function post(url: string, fields: Record<string, string>): Promise<RunFields> {
  const reply = await fetch(url, {
    method: "POST",
    headers: { Accept: "application/json", "X-CSRFToken": document.body.dataset.csrf ?? "" },
    body: new URLSearchParams(fields),
  });
  const body = (await reply.json().catch(() => ({}))) as RunFields & { error?: { message: string } };
  if (!reply.ok) throw new Error(body.error?.message ?? `status ${reply.status}`);
  return body;
}
