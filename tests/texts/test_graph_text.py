"""The graph for other programs, opened again by networkx and by Graphviz."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.texts.graph_text import dot, graphml
from tests.samples import random_graph, weighted_sum

STRANGE = ['"; rm -rf', "<b>&amp;", "a\\", "a\nb", "\x00\x1b[31m", "]]>", "\ud800", "é\u202ex"]


def named(name: str) -> Recording:
    recording = weighted_sum()
    return replace(recording, nodes=(recording.nodes[0]._replace(name=name), *recording.nodes[1:]))


def test_graphml_has_every_node_and_every_edge_with_its_gradient():
    graph = nx.parse_graphml(graphml(Track(weighted_sum(), 0)), force_multigraph=True)

    assert [graph.nodes[f"n{i}"]["op"] for i in range(5)] == ["leaf", "mul", "constant", "mul", "sum"]
    assert graph.nodes["n0"] == {
        "label": "x", "op": "leaf", "shape": "[2]", "dtype": "float32", "value": "[-1, 2]", "gradient": "[-6, 20]",
        "line": 3, "norm": pytest.approx(np.hypot(6, 20)), "requires_grad": True,
    }  # fmt: skip
    both = graph.get_edge_data("n0", "n1")  # x * x: one edge for each use
    assert sorted(edge["slot"] for edge in both.values()) == [0, 1]
    assert [edge["gradient"] for edge in both.values()] == ["[-3, 10]"] * 2
    assert "gradient" not in graph.get_edge_data("n2", "n3", key="e3")
    assert graph.number_of_edges() == 5


def test_graphml_without_a_backward_pass_is_the_graph_alone():
    graph = nx.parse_graphml(graphml(Track(replace(weighted_sum(), sweeps=()))), force_multigraph=True)

    assert len(graph) == 5
    assert not any("gradient" in facts for _, facts in graph.nodes(data=True))


def test_a_gradient_that_is_not_finite_is_read_again():
    recording = weighted_sum()
    step = recording.sweeps[0].steps[3]._replace(incoming=np.array([np.inf, np.nan], np.float32))
    sweep = replace(recording.sweeps[0], steps=(*recording.sweeps[0].steps[:3], step))

    graph = nx.parse_graphml(graphml(Track(replace(recording, sweeps=(sweep,)), 0)), force_multigraph=True)

    assert "inf" in graph.nodes["n0"]["gradient"].lower()


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_name_stays_a_name(name):
    track = Track(named(name), 0)

    graph = nx.parse_graphml(graphml(track), force_multigraph=True)
    assert len(graph) == 5
    text = dot(track)
    assert text.count("->") == 5
    assert len(text.splitlines()) == 3 + 5 + 5 + 1


@settings(max_examples=60)
@given(st.text(st.characters(), min_size=1, max_size=20))
def test_any_name_is_well_formed_xml(name):
    ET.fromstring(graphml(Track(named(name), 0)).encode(errors="replace"))


def test_graphviz_opens_the_dot_file():
    pygraphviz = pytest.importorskip("pygraphviz")
    for name in ("x", *STRANGE[:4]):
        graph = pygraphviz.AGraph(string=dot(Track(named(name), 0)))

        assert len(graph.nodes()) == 5
        assert len(graph.edges()) == 5
        assert graph.get_node("n4").attr["label"].startswith("y: sum")


def test_the_gradient_on_an_edge_of_a_dot_file_has_its_colour_and_stands_off_the_line():
    pygraphviz = pytest.importorskip("pygraphviz")
    graph = pygraphviz.AGraph(string=dot(Track(named("x"), 0)))

    assert graph.edge_attr["fontcolor"] == "#c2410b"
    labels = [edge.attr["label"] for edge in graph.edges() if edge.attr["label"].strip()]
    assert labels
    assert all(label.startswith("  ") and label.endswith("  ") for label in labels)


def test_a_large_graph_is_written_whole():
    track = Track(random_graph(2_000), 0)
    nodes = track.recording.nodes

    graph = nx.parse_graphml(graphml(track), force_multigraph=True)

    assert {int(name[1:]): facts["op"] for name, facts in graph.nodes(data=True)} == {
        node: nodes[node].op for node in track.forward
    }
    edges = [(int(source[1:]), int(to[1:]), facts["slot"]) for source, to, facts in graph.edges(data=True)]
    wanted = [(nodes[consumer].inputs[slot], consumer, slot) for consumer, slot in track.edges]
    assert sorted(edges) == sorted(wanted)
    assert len(edges) > 1_000
    assert all("gradient" in graph.nodes[f"n{step.node}"] for step in track.steps)
