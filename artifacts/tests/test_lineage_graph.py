"""The lineage graph as the browser's own code reads, stacks, places and moves it (ART-4)."""

from itertools import pairwise

import pytest

from metrics.tests.typescript import run_typescript

GRAPH = """
import { isOnWay, kinOf, neighbourOf, tiesOf } from "./assets/ts/artifacts/lineage-graph.ts";
import { stacked } from "./assets/ts/artifacts/lineage-stacks.ts";
import { placeNodes } from "./assets/ts/artifacts/lineage-layout.ts";
const given = JSON.parse(process.argv[1]);
const ties = tiesOf(given.nodes, given.edges);
const answers = {
  kin: () => {
    const kin = kinOf(given.id, ties);
    const way = given.edges.filter((edge) => isOnWay(edge, kin)).map(({ from, to }) => `${from}>${to}`);
    return { ancestors: [...kin.ancestors].sort(), descendants: [...kin.descendants].sort(), way: way.sort() };
  },
  neighbours: () => {
    const { places } = placeNodes(given);
    const to = (key) => neighbourOf(key, given.id, places, ties) ?? null;
    return ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "a"].map(to);
  },
  stacked: () => stacked(given, new Set(given.opened)),
  placed: () => {
    const { places, paths, width, height } = placeNodes(given);
    return { places: Object.fromEntries(places), paths: paths.map(({ path }) => path), width, height };
  },
};
console.log(JSON.stringify(answers[given.ask]()));
"""
MOVES = """
import { around, fitted, scaledAt } from "./assets/ts/artifacts/pan-zoom.ts";
const [name, ...given] = JSON.parse(process.argv[1]);
console.log(JSON.stringify({ around, fitted, scaledAt }[name](...given)));
"""


def lineage(*ways, focus="", hidden=()):
    """Make a graph of ways such as ``run>v0>other``; what begins with v is a version."""
    steps = [way.split(">") for way in ways]
    names = dict.fromkeys(name for way in steps for name in way)
    nodes = [
        {
            "id": name,
            "kind": "hidden" if name in hidden else "version" if name.startswith("v") else "run",
            "title": name,
            "subtitle": "",
            "url": f"/{name}",
            "is_focus": name == focus,
        }
        for name in names
    ]
    pairs = dict.fromkeys((one, other) for way in steps for one, other in pairwise(way))
    edges = [
        {"from": one, "to": other, "kind": "input" if one.startswith("v") else "output"}
        for one, other in pairs
    ]
    return {"nodes": nodes, "edges": edges, "left_out": 0}


def answer(ask, graph, **more):
    return run_typescript(GRAPH, {**graph, "ask": ask, **more})


def drawn(graph, *opened):
    found = answer("stacked", graph, opened=opened)
    counts = {node["id"]: len(node.get("members", [node])) for node in found["nodes"]}
    return counts, {f"{edge['from']}>{edge['to']}" for edge in found["edges"]}


def test_kin_are_what_led_to_a_node_and_what_came_of_it_but_no_siblings():
    found = answer("kin", lineage("a>v0>b>v1>c", "v0>sibling>v2"), id="b")
    assert found["ancestors"] == ["a", "b", "v0"]
    assert found["descendants"] == ["b", "c", "v1"]
    assert found["way"] == ["a>v0", "b>v1", "v0>b", "v1>c"]


def test_a_run_that_logs_what_it_used_ends_no_search():
    found = answer("kin", lineage("a>v0>a"), id="a")
    assert found["ancestors"] == found["descendants"] == ["a", "v0"]


def test_edges_to_nodes_that_were_left_out_lead_nowhere():
    graph = lineage("a>v0")
    graph["edges"].append({"from": "v0", "to": "gone", "kind": "input"})
    assert answer("kin", graph, id="v0")["descendants"] == ["v0"]
    assert len(answer("placed", graph)["paths"]) == 1


def test_arrow_keys_follow_edges_to_the_sides_and_the_column_up_and_down():
    graph = lineage("a>v0>b", "a>v1>c", "a>v2>d")
    left, right, up, down, other = answer("neighbours", graph, id="v1")
    assert (left, right, other) == ("a", "c", None)
    assert {up, down} == {"v0", "v2"}


def test_arrow_keys_stay_at_an_end():
    left, right, up, down, _ = answer("neighbours", lineage("a>v0"), id="a")
    assert (left, right, up, down) == (None, "v0", None, None)


def test_columns_go_from_left_to_right_and_no_cards_overlap():
    graph = lineage("a>v0>b>v1", *[f"v0>r{n}>v1{n}" for n in range(8)])
    found = answer("placed", graph)
    places = found["places"]
    assert places["a"]["x"] < places["v0"]["x"] < places["b"]["x"] < places["v1"]["x"]
    columns: dict[float, list[float]] = {}
    for place in places.values():
        columns.setdefault(place["x"], []).append(place["y"])
    for ys in columns.values():
        ys.sort()
        assert all(below - above >= 56 for above, below in pairwise(ys))
    assert len(found["paths"]) == len(graph["edges"])
    assert found["width"] > 216 * 4
    assert found["height"] > 56 * 8


def test_a_sweep_with_a_model_each_is_two_stacks():
    counts, edges = drawn(lineage("prep>v0", *[f"v0>r{n}>vm{n}" for n in range(40)], focus="v0"))
    assert counts == {"prep": 1, "v0": 1, "stack:r0": 40, "stack:vm0": 40}
    assert edges == {"prep>v0", "v0>stack:r0", "stack:r0>stack:vm0"}


def test_the_way_through_the_focus_stays_outside_of_stacks():
    counts, edges = drawn(lineage(*[f"v0>r{n}>vm{n}" for n in range(10)], focus="vm3"))
    assert counts == {"v0": 1, "stack:r0": 9, "stack:vm0": 9, "r3": 1, "vm3": 1}
    assert {"v0>r3", "r3>vm3"} <= edges


def test_runs_that_came_to_different_things_are_in_different_stacks():
    ways = [f"v0>r{n}>vm{n}" for n in range(5)] + [f"v0>dead{n}" for n in range(6)]
    counts, _ = drawn(lineage(*ways, focus="v0"))
    assert counts == {"v0": 1, "stack:r0": 5, "stack:vm0": 5, "stack:dead0": 6}


def test_four_alike_are_no_stack():
    counts, _ = drawn(lineage(*[f"v0>r{n}" for n in range(4)], focus="v0"))
    assert counts == {"v0": 1, "r0": 1, "r1": 1, "r2": 1, "r3": 1}


def test_an_opened_stack_is_drawn_one_by_one_and_others_stay():
    graph = lineage(*[f"v0>r{n}>vm{n}" for n in range(5)], focus="v0")
    counts, edges = drawn(graph, "stack:r0")
    assert counts == {"v0": 1, "r0": 1, "r1": 1, "r2": 1, "r3": 1, "r4": 1, "stack:vm0": 5}
    assert "r4>stack:vm0" in edges


def test_what_is_hidden_is_never_stacked():
    names = [f"h{n}" for n in range(6)]
    counts, _ = drawn(lineage(*[f"v0>{name}" for name in names], focus="v0", hidden=names))
    assert counts == {"v0": 1} | dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    ("plane", "scale"), [((400, 200), 1), ((1872, 400), 0.5), ((400, 2144), 0.25), ((90_000, 10), 0.08)]
)
def test_a_plane_is_fitted_into_the_middle_but_never_enlarged(plane, scale):
    width, height = plane
    view = run_typescript(
        MOVES, ["fitted", {"width": width, "height": height}, {"width": 1000, "height": 600}]
    )
    assert view["scale"] == pytest.approx(scale, rel=0.01)
    assert view["x"] == pytest.approx((1000 - width * view["scale"]) / 2)
    assert view["y"] == pytest.approx((600 - height * view["scale"]) / 2)


def test_zooming_keeps_the_point_under_the_pointer():
    view = run_typescript(MOVES, ["scaledAt", {"x": 10, "y": 20, "scale": 0.5}, 2, 110, 70])
    assert view == {"x": -90, "y": -30, "scale": 1}


def test_zooming_has_an_end():
    view = run_typescript(MOVES, ["scaledAt", {"x": 0, "y": 0, "scale": 2}, 4, 50, 50])
    assert view == {"x": 0, "y": 0, "scale": 2}


@pytest.mark.parametrize(("at", "x"), [(0, 32), (1500, -1000), (3000, -2032)])
def test_the_surroundings_of_a_point_end_where_the_plane_ends(at, x):
    plane, window = {"width": 3000, "height": 100}, {"width": 1000, "height": 600}
    view = run_typescript(MOVES, ["around", {"x": at, "y": 50}, 1, plane, window])
    assert view == {"scale": 1, "x": x, "y": 250}
