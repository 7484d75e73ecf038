"""The lineage of a version as the page draws it."""

from typing import Any

from django.urls import reverse
from django.utils.translation import ngettext

from artifacts.lineage.graph import GraphNode, LineageGraph, NodeKind
from artifacts.pages.addresses import version_page


def graph_document(graph: LineageGraph) -> dict[str, Any]:
    """Return nodes and edges with their texts and addresses."""
    return {
        "nodes": [node_document(node) for node in graph.nodes],
        "edges": [{"from": edge.source, "to": edge.target, "kind": edge.kind} for edge in graph.edges],
        "left_out": graph.left_out,
    }


def node_document(node: GraphNode) -> dict[str, Any]:
    """Return a node with its texts and address; what is hidden has no address."""
    shown: dict[str, Any] = {"id": node.id, "kind": str(node.kind), "is_focus": node.is_focus}
    if node.kind == NodeKind.VERSION and node.place is not None:
        place = node.place
        texts = {"title": f"{place.collection.name}:{place.label}", "subtitle": place.collection.type.name}
        return {**shown, **texts, "type": place.collection.type.name, "url": version_page(place)}
    if node.kind == NodeKind.RUN and node.run is not None:
        run = node.run
        names = [run.project.team.name, run.project.name, run.uid]
        texts = {"title": run.display_name, "subtitle": run.job_type or run.project.name}
        return {**shown, **texts, "url": reverse("runs:run_overview", args=names), "state": str(run.state)}
    text = ngettext("%(n)d you cannot see", "%(n)d you cannot see", node.count) % {"n": node.count}
    return {**shown, "title": text, "subtitle": "", "url": ""}


def connections_of(document: dict[str, Any]) -> list[tuple[dict[str, Any], str, dict[str, Any]]]:
    """Return the edges of a document with the nodes at their ends, for the list."""
    nodes = {node["id"]: node for node in document["nodes"]}
    return [(nodes[edge["from"]], edge["kind"], nodes[edge["to"]]) for edge in document["edges"]]
