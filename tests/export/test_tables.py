import csv
import io

import msgspec
import networkx as nx

from aotgui.export.graphml import graphml_of
from aotgui.export.tables import check_csv, nodes_csv, saved_csv


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_nodes_table_has_every_node_with_its_words(graph):
    table = rows(nodes_csv(graph))
    assert [row["name"] for row in table] == graph.names
    (mm,) = [row for row in table if row["name"] == "mm"]
    assert (mm["op"], mm["side"], mm["fate"], mm["shape"], mm["bytes"]) == (
        "aten.mm.default",
        "forward",
        "saved",
        "[4, 4]",
        "64",
    )
    assert mm["source"] == "/home/me/model.py:12"


def test_saved_table_keeps_the_order_and_the_reason(capture):
    table = rows(saved_csv(capture.regions[0]))
    assert [row["name"] for row in table] == ["primals_2", "mm"]
    assert table[1]["reason"].startswith("cannot recompute")


def test_check_table_has_outputs_then_gradients(capture):
    table = rows(check_csv(capture.check))
    assert [(row["kind"], row["name"], row["status"]) for row in table] == [
        ("output", "out[0]", "match"),
        ("gradient", "out[0]", "match"),
        ("gradient", "layer.weight", "mismatch"),
    ]


def test_no_text_becomes_a_formula_of_a_spreadsheet(capture):
    region = capture.regions[0]
    hostile = [msgspec.structs.replace(value, label='=HYPERLINK("http://x")') for value in region.saved]
    table = rows(saved_csv(msgspec.structs.replace(region, saved=hostile)))
    assert all(row["label"].startswith("'=") for row in table)


def test_graphml_is_read_back_with_nodes_edges_and_facts(graph):
    network = nx.read_graphml(io.BytesIO(graphml_of(graph)))
    assert list(network) == graph.names
    assert network.number_of_edges() == len(graph.edge_sources)
    assert network.nodes["mm"]["fate"] == "saved"
    assert network.nodes["mm"]["bytes"] == 64
    assert network.has_edge("mm", "cos")
