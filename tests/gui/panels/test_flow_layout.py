from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.flow_layout import FlowLayout


def flow(qtbot, *sizes, width):
    """Where widgets of some sizes are put in a width."""
    holder = QWidget()
    qtbot.addWidget(holder)
    layout = FlowLayout(holder, spacing=4)
    widgets = []
    for size in sizes:
        widget = QWidget()
        widget.setFixedSize(QSize(*size))
        layout.addWidget(widget)
        widgets.append(widget)
    holder.resize(width, 200)
    holder.show()
    qtbot.waitExposed(holder)
    return holder, layout, widgets


def places(widgets):
    return [(widget.x(), widget.y()) for widget in widgets]


def test_a_full_line_goes_on_in_the_next(qtbot):
    _, layout, widgets = flow(qtbot, (40, 10), (40, 10), (40, 10), width=90)
    assert places(widgets) == [(0, 0), (44, 0), (0, 12)]
    assert (layout.heightForWidth(90), layout.heightForWidth(200), layout.heightForWidth(10)) == (22, 10, 34)


def test_lower_ones_stand_in_the_middle_of_their_line(qtbot):
    _holder, _, widgets = flow(qtbot, (40, 10), (40, 30), width=100)
    assert places(widgets) == [(0, 10), (44, 0)]


def test_hidden_ones_take_no_room(qtbot):
    _, layout, widgets = flow(qtbot, (40, 10), (40, 10), (40, 10), width=90)
    widgets[1].hide()
    qtbot.waitUntil(lambda: widgets[2].x() == 44)
    assert layout.heightForWidth(90) == 10


def test_without_anything_there_is_no_height(qtbot):
    _holder, layout, _ = flow(qtbot, width=90)
    assert layout.heightForWidth(90) == 0
    assert layout.itemAt(0) is None
    assert layout.takeAt(0) is None
