import assert from "node:assert/strict";
import { test } from "node:test";
import type { GroupsReply } from "../charts/wire";
import { startServer } from "../testing/server";
import { cutsOf, GroupReader, groupsIn } from "./group-reply";

function replyOf(rest: Partial<GroupsReply> = {}): GroupsReply {
  const group = (value: string, place: number, count: number) => ({
    path: `["${value}"]`,
    name: `Group: ${value}`,
    values: value,
    count,
    place,
  });
  return {
    groups: [group("a", 0, 2), group("b", 9, 1)],
    runs: ["r1:0", "r2:0", "r3:1"].map((text) => {
      const [uid = "", at] = text.split(":");
      return { uid, name: uid, state: "finished", group: Number(at) };
    }),
    groupCount: 2,
    shownCount: 2,
    runCount: 3,
    ...rest,
  };
}

test("each run is in its group, whose color goes by its place among all (RUN-26)", () => {
  const groups = groupsIn(replyOf(), {});
  assert.equal(groups.get("r1"), groups.get("r2"));
  assert.deepEqual([groups.get("r1")?.color, groups.get("r3")?.color], [0, 1]);
  assert.equal(groups.get("r3")?.name, "Group: b");
});

test("a picked color of a group comes first", () => {
  assert.equal(groupsIn(replyOf(), { '["b"]': "#ff0000" }).get("r3")?.color, "#ff0000");
});

test("a run of a group that was not sent is in none", () => {
  const runs = [{ uid: "r9", name: "", state: "", group: 7 }];
  assert.equal(groupsIn(replyOf({ runs }), {}).size, 0);
});

test("where there is no room for all groups or runs, that is said", () => {
  assert.deepEqual(cutsOf(replyOf()), []);
  assert.deepEqual(cutsOf(replyOf({ shownCount: 30 })), ["groupsCut"]);
  assert.deepEqual(cutsOf(replyOf({ runs: [] })), ["runsCut"]);
  assert.equal(cutsOf(replyOf({ runs: [], shownCount: 30 })).length, 2);
});

test("panels that ask the same within a short while share the answer", async (t) => {
  const { url, requests } = await startServer(t, () => ({ json: replyOf() }));
  const reader = new GroupReader(`${url}/groups`);
  await Promise.all([reader.read(["group"], ["r1", "r2"]), reader.read(["group"], ["r1", "r2"])]);
  assert.deepEqual(
    requests.map(({ pathname, search }) => pathname + search),
    ["/groups/runs?run=r1&run=r2&group=group"],
  );
  await reader.read(["tags"], ["r1"]);
  assert.equal(requests.length, 2);
});

test("without runs nothing is asked", async (t) => {
  const { url, requests } = await startServer(t, () => ({ json: replyOf() }));
  assert.equal((await new GroupReader(url).read(["group"], [])).size, 0);
  assert.equal(requests.length, 0);
});

test("a failed answer is asked for again", async (t) => {
  let isDown = true;
  const { url } = await startServer(t, () => (isDown ? { status: 500 } : { json: replyOf() }));
  const reader = new GroupReader(url);
  await assert.rejects(reader.read(["group"], ["r1"]));
  isDown = false;
  assert.equal((await reader.read(["group"], ["r1"])).size, 3);
});
