import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** A server on this machine, and what it was asked so far. */
export interface LocalServer {
  /** Without a slash at the end. */
  url: string;
  requests: URL[];
}

/** What a request is answered with: JSON with status 200, or another status. */
export type Answer = { status: number; body?: unknown } | { json: unknown };

/** Start a server for one test, which answers each request as `answer` says. */
export async function startServer(
  test: TestContext,
  answer: (url: URL, request: IncomingMessage, body: string) => Answer | Promise<Answer>,
): Promise<LocalServer> {
  const requests: URL[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    requests.push(url);
    let body = "";
    for await (const part of request) body += String(part);
    const given = await answer(url, request, body);
    const { status, content } =
      "json" in given ? { status: 200, content: given.json } : { status: given.status, content: given.body };
    response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
    response.end(content === undefined ? "" : JSON.stringify(content));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
