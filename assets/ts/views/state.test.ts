import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/server";
import { fromAnyVersion, fromVersion, listTemplates, listViews, urlOf, type ViewState } from "./state";

function stateAt(views: string): ViewState {
  const urls = { views, working: "", default: "" };
  return {
    id: 1,
    name: "mine",
    version: 1,
    edited: false,
    bare: false,
    mayChange: true,
    template: false,
    default: 0,
    urls,
  };
}

for (const views of ["/api/v1/views/?entity=a&project=b", "/api/v1/views?entity=a", "/api/v1/views/"]) {
  test(`a view has its own address below the list: ${views}`, () => {
    assert.equal(urlOf(stateAt(views), 7), "/api/v1/views/7");
    assert.equal(urlOf(stateAt(views), 7, "/versions/2"), "/api/v1/views/7/versions/2");
  });
}

test("the working state begins from another version once that is saved", () => {
  const working = "/api/v1/views/working?entity=a&project=b&view=7&base=3";
  assert.equal(fromVersion(working, 12), "/api/v1/views/working?entity=a&project=b&view=7&base=12");
  assert.equal(fromAnyVersion(working), "/api/v1/views/working?entity=a&project=b&view=7");
  assert.equal(fromAnyVersion("/working?entity=a"), "/working?entity=a");
});

test("views come as a list or as a page of one", async (t) => {
  const view = { id: 7, name: "mine" };
  const { url, requests } = await startServer(t, ({ searchParams }) => ({
    json: searchParams.has("templates") ? { results: [view] } : [view],
  }));
  const state = stateAt(`${url}/views/?entity=a`);
  assert.deepEqual(await listViews(state), [view]);
  assert.deepEqual(await listTemplates(state), [view]);
  assert.equal(requests[1]?.search, "?entity=a&templates=1");
});
