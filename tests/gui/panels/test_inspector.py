import msgspec
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication

from aotgui.gui.panels.inspector import Inspector
from aotgui.gui.panels.inspector_links import MoreTarget
from aotgui.model.graph import Fate, GraphKind, Side


@pytest.fixture
def inspector(captured, shown):
    return shown(Inspector(captured))


def rows(inspector):
    """Label and text of each row, by section."""
    return {section.title: {row.label: row.text for row in section.rows} for section in inspector.page.sections}


def follow(inspector, text):
    """Click on the first link with a text, as the browser does."""
    place = [link.text for link in inspector.links].index(text)
    inspector.browser.anchorClicked.emit(QUrl(str(place)))


def test_without_a_capture_it_says_how_to_get_one(session, shown):
    inspector = shown(Inspector(session))
    assert inspector.page.title == "Nothing to inspect yet"
    assert "Open a script" in inspector.browser.toPlainText()


def test_without_a_selection_it_shows_the_region(inspector):
    assert inspector.page.sentence == "Select a node to inspect it."
    found = rows(inspector)
    assert found["Graphs"]["Joint"] == "16 nodes, 20 edges"
    assert found["Fates"] == {"Saved": "3", "Recomputed": "1", "Forward only": "5", "Backward only": "6"}
    assert found["Saved for backward"]["Activations"] == "32.0 KiB (32,768 bytes)"


def test_a_node_in_full(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    page, found = inspector.page, rows(inspector)
    assert (page.title, page.subtitle, page.side, page.fate) == ("relu", "aten.relu.default", Side.FORWARD, Fate.SAVED)
    assert page.sentence == "Computed in forward and passed to backward."
    assert found["Value"] == {
        "Shape": "[32, 256]",
        "Dtype": "float32",
        "Strides": "(256, 1)",
        "Device": "cpu",
        "Bytes": "32.0 KiB (32,768 bytes)",
    }
    assert found["Operator"] == {"Target": "aten.relu.default", "self": "mm"}
    graph = found["Graph"]
    assert (graph["Inputs"], graph["Users"]) == ("mm", "mm_1, le, mm_3")
    assert found["Why"]["Because"].startswith("Torch gave no min-cut network")
    assert found["Why"]["In torch's words"].startswith("must be computed in backward")
    assert (graph["In forward"], graph["In backward"]) == ("relu", "relu")
    assert (graph["Sequence"], graph["Backward by"]) == ("5", "le")
    assert found["Source"]["Module"] == "block"
    assert found["Source"]["Class"] == "Block"
    assert found["Source"]["Line"] == "blocks.py:12"
    assert found["Source"]["Code"] == "return F.relu(hidden)"


def test_the_checkpoint_policy(inspector, captured, made_capture):
    joint = made_capture.regions[0].graphs[GraphKind.JOINT]
    policies = [-1] * len(joint)
    policies[joint.index_of["relu"]] = len(joint.strings)
    noted = msgspec.structs.replace(joint, strings=[*joint.strings, "MUST_SAVE"], policies=policies)
    region = msgspec.structs.replace(made_capture.regions[0], graphs={GraphKind.JOINT: noted})
    captured.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    captured.select(GraphKind.JOINT, [joint.index_of["relu"]])
    assert rows(inspector)["Graph"]["Policy"] == "MUST_SAVE: checkpointing keeps it for backward"
    captured.select(GraphKind.JOINT, [joint.index_of["mm"]])
    assert "Policy" not in rows(inspector)["Graph"]


def test_schema_and_arguments(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm")])
    found = rows(inspector)["Operator"]
    assert found["Schema"] == "aten::mm(Tensor self, Tensor mat2) -> Tensor"
    assert (found["self"], found["mat2"]) == ("primals_3", "t")


def test_a_backward_node_has_its_line_module_and_forward(inspector, captured, node_of):
    captured.select(GraphKind.BACKWARD, [node_of(GraphKind.BACKWARD, "mm_4")])
    found = rows(inspector)
    assert inspector.page.side is Side.BACKWARD
    assert found["Source"]["Line"] == "blocks.py:11"
    assert found["Source"]["Module"] == "block.linear"
    assert found["Graph"]["Forward of"] == "t, mm"


def test_returned_values_say_as_what(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm_4")])
    assert rows(inspector)["Graph"]["Returned"] == "gradient of block.linear.weight"
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "sum_1")])
    assert rows(inspector)["Graph"]["Returned"] == "output out"
    captured.select(GraphKind.FORWARD, [node_of(GraphKind.FORWARD, "relu")])
    assert rows(inspector)["Graph"]["Returned"] == "saved for backward"


def test_a_placeholder_has_its_human_name(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "primals_2")])
    assert (inspector.page.title, inspector.page.subtitle) == ("head.weight", "parameter")
    assert rows(inspector)["Graph"]["Node"] == "primals_2"
    assert inspector.page.sentence == "Given to forward and passed on to backward."
    captured.select(GraphKind.BACKWARD, [node_of(GraphKind.BACKWARD, "tangents_1")])
    assert inspector.page.sentence == "Given to backward."


@pytest.mark.parametrize(("text", "name"), [("mm", "mm"), ("le", "le"), ("mm_1", "mm_1")])
def test_links_select_in_the_same_graph(inspector, captured, node_of, text, name):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    follow(inspector, text)
    assert captured.selection.graph is GraphKind.JOINT
    assert captured.selection.nodes == (node_of(GraphKind.JOINT, name),)


def test_a_counterpart_is_selected_and_revealed_in_its_graph(inspector, captured, node_of, qtbot):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm_2")])
    place = next(
        i for i, link in enumerate(inspector.links) if getattr(link.target, "graph", None) is GraphKind.BACKWARD
    )
    with qtbot.waitSignal(captured.reveal_requested) as revealed:
        inspector.browser.anchorClicked.emit(QUrl(str(place)))
    assert revealed.args == [GraphKind.BACKWARD, node_of(GraphKind.BACKWARD, "mm_2")]


def test_a_partner_in_the_other_half_is_linked_there(inspector, captured, node_of):
    captured.select(GraphKind.FORWARD, [node_of(GraphKind.FORWARD, "relu")])
    follow(inspector, "le")
    assert captured.selection.graph is GraphKind.BACKWARD
    assert captured.graph(GraphKind.BACKWARD).names[captured.selection.current] == "le"


def test_the_line_asks_for_its_source(inspector, captured, node_of, qtbot, blocks_file):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    with qtbot.waitSignal(inspector.source_requested) as asked:
        follow(inspector, "blocks.py:12")
    assert asked.args == [blocks_file, 12]


def test_library_frames_are_shown_on_demand(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    assert "modeling.py" not in inspector.browser.toPlainText()
    follow(inspector, "1 library frame")
    assert "modeling.py:420 in apply_chunking" in inspector.browser.toPlainText()
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm")])
    assert "modeling.py" not in inspector.browser.toPlainText()


def test_many_users_are_collapsed(session, made_capture, make_graph, shown):
    build = make_graph(GraphKind.JOINT)
    build.add("mask")
    for number in range(30):
        build.add(f"add_{number}", "aten.add.Tensor", inputs=["mask"])
    region = msgspec.structs.replace(made_capture.regions[0], graphs={GraphKind.JOINT: build.build()}, saved=[])
    session.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    inspector = shown(Inspector(session))
    session.select(GraphKind.JOINT, [0])
    assert rows(inspector)["Graph"]["Users"].endswith("add_11, 18 more")
    assert MoreTarget("users") in [link.target for link in inspector.links]
    follow(inspector, "18 more")
    assert rows(inspector)["Graph"]["Users"].endswith("add_29")


def test_the_executed_value_is_shown_as_soon_as_it_exists(inspector, captured, node_of, make_stats):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm")])
    assert "Executed" not in rows(inspector)
    mm = node_of(GraphKind.FORWARD, "mm")
    captured.add_values({GraphKind.FORWARD: [make_stats(mm, nans=2)]})
    found = rows(inspector)["Executed"]
    assert (found["Range"], found["Mean"], found["NaN"]) == ("-1.5 to 2.5", "0.125, std 0.75", "2")
    assert (found["Graph"], found["Time"]) == ("forward", "0.12 ms")
    assert "Computed" not in found
    alarms = [row.label for section in inspector.page.sections for row in section.rows if row.is_alarm]
    assert alarms == ["NaN"]


def test_a_value_of_another_shape_than_traced_says_so(inspector, captured, node_of, make_stats):
    joint = captured.graph(GraphKind.JOINT)
    other = joint.tensors(0)[0]
    captured.add_values({GraphKind.FORWARD: [make_stats(node_of(GraphKind.FORWARD, "mm"), value=other)]})
    captured.select(GraphKind.FORWARD, [node_of(GraphKind.FORWARD, "mm")])
    assert rows(inspector)["Executed"]["Computed"] == "float32[256, 64], traced as float32[32, 256]"


def test_several_nodes_are_summed_up(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, name) for name in ("mm", "mm_2", "relu")])
    found = rows(inspector)
    assert inspector.page.title == "3 nodes"
    assert found["Values"]["Bytes"] == "96.0 KiB (98,304 bytes)"
    assert found["Fates"] == {"Saved": "1", "Forward only": "1", "Backward only": "1"}
    assert found["Operators"] == {"2": "aten.mm.default", "1": "aten.relu.default"}


def test_copy_is_plain_text(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    inspector.copy()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("relu\naten.relu.default\nforward, saved\n")
    assert "Shape: [32, 256]" in text


def test_copying_what_is_selected_leaves_out_what_is_invisible(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    inspector.browser.selectAll()
    inspector.browser.copy()
    text = QGuiApplication.clipboard().text()
    assert "[32, 256]" in text
    assert "\u200b" not in text


def test_names_cannot_inject_markup(session, made_capture, make_graph, shown):
    build = make_graph(GraphKind.JOINT)
    build.add("x", label="args['<b>a</b>']")
    region = msgspec.structs.replace(made_capture.regions[0], graphs={GraphKind.JOINT: build.build()}, saved=[])
    session.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    inspector = shown(Inspector(session))
    session.select(GraphKind.JOINT, [0])
    assert inspector.browser.toPlainText().startswith("args['<b>a</b>']")


def test_long_names_of_arguments_go_on_after_an_underscore(session, made_capture, make_graph, shown):
    build = make_graph(GraphKind.JOINT)
    build.add("x", "aten.native_layer_norm.default", arguments=[("normalized_shape", "[32]")])
    region = msgspec.structs.replace(made_capture.regions[0], graphs={GraphKind.JOINT: build.build()}, saved=[])
    session.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    inspector = shown(Inspector(session))
    session.select(GraphKind.JOINT, [0])
    assert "normalized_\u200bshape" in inspector.browser.toPlainText()


def test_nothing_is_wider_than_a_narrow_dock(inspector, captured, theme):
    graph = captured.graph(GraphKind.JOINT)
    for node in range(len(graph)):
        captured.select(GraphKind.JOINT, [node])
        assert inspector.browser.document().idealWidth() <= inspector.browser.viewport().width()


def test_another_theme_recolours(inspector, captured, node_of, qapp):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    before = inspector.browser.toHtml()
    colors = inspector.palette()
    colors.setColor(colors.ColorRole.Base, "#101010")
    inspector.setPalette(colors)
    assert inspector.browser.toHtml() != before
