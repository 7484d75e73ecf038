"""Reading all there is of a run, and sending documents that httpx could not write."""

import json
from typing import Any

import httpx

from tests.sdk.wire import Run, Wire
from wandb_api.tests.wire.hostile import fine

READ = """query R($entity: String!, $project: String!, $run: String!, $filters: JSONString, $order: String) {
  project(name: $project, entityName: $entity) {
    run(name: $run) {
      id config summaryMetrics historyKeys wandbConfig(keys: ["t"]) history(minStep: 0)
      files(first: 50) { edges { node { id name url(upload: false) sizeBytes } } }
    }
    runs(filters: $filters, order: $order) { edges { node { id name config summaryMetrics } } }
  }
}"""


def read(ada: Wire, run: Run, **more: Any) -> Any:
    """Ask for all there is of a run, and for its project's runs."""
    reply = ada.ask(READ, entity=run.entity, project=run.project, run=run.uid, **more)
    assert fine(reply, 200).json().get("errors") is None
    return reply.json()["data"]["project"]


def ask(ada: Wire, document: str, **variables: Any) -> httpx.Response:
    """Send a document as Python's own encoder writes it: httpx's cannot write lone surrogates."""
    return ada.http.post("/graphql", content=json.dumps({"query": document, "variables": variables}))
