/** GET JSON from `url`. Rejects on any status but 2xx, and when `signal` aborts. */
export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  const reply = await fetch(url, { headers: { Accept: "application/json" }, ...(signal ? { signal } : {}) });
  if (!reply.ok) throw new Error(`${url}: status ${reply.status}`);
  return (await reply.json()) as T;
}
