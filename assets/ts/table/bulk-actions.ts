import { toast } from "../lib/announce";
import { word } from "../lib/words";
import { askJson, Refusal } from "./server";
import type { RunsTable } from "./table";

/** What the server says after an act on many runs. */
export interface ActReply {
  done: number;
  refused: { uid: string; reason: string }[];
  kept: string[];
  undo: { act: string; uid: string[] } | null;
}

/** Do `act` to the runs that `params` name, say what happened, offer to undo it, and show what is so now. */
export async function performBulkAction(
  table: RunsTable,
  act: string,
  params: URLSearchParams,
  values: string[] = [],
): Promise<ActReply | undefined> {
  const body = new URLSearchParams(params);
  for (const value of values) body.append("value", value);
  try {
    const reply = await askJson<ActReply>(`${table.root.dataset.actUrl}${act}`, "POST", body);
    report(table, act, reply);
    await table.draw();
    return reply;
  } catch (error) {
    toast(error instanceof Refusal ? error.message : word("requestFailed"), "error");
    return undefined;
  }
}

function report(table: RunsTable, act: string, { done, refused, kept, undo }: ActReply): void {
  const [first] = refused;
  if (first) {
    toast(word("actRefused", { count: refused.length, reason: first.reason }), "error");
  }
  for (const reason of kept.slice(0, 3)) toast(reason, "error");
  if (!done) return;
  const said = word(done === 1 ? `done_${act}_one` : `done_${act}`, { count: done });
  const again = undo && {
    label: word("undo"),
    act: () => {
      const runs = new URLSearchParams(undo.uid.map((uid) => ["uid", uid]));
      void performBulkAction(table, undo.act, runs);
    },
  };
  toast(said, "success", again ?? undefined);
}
