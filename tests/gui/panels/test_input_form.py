import pytest

from aotgui.gui.panels.input_form import InputForm
from aotgui.gui.panels.input_row import RowKind
from aotgui.model.targets import Parameter

PARAMETERS = (
    Parameter(name="x", annotation="Tensor", required=True),
    Parameter(name="size", annotation="int", required=True),
    Parameter(name="mask", default="None"),
    Parameter(name="scale", annotation="float", default="1.0"),
    Parameter(name="**options"),
)


@pytest.fixture
def form(shown):
    return shown(InputForm(PARAMETERS), width=800)


def test_each_parameter_has_a_row_that_suits_it(form):
    assert [(row.parameter.name, row.row_kind) for row in form.rows] == [
        ("x", RowKind.RANDN),
        ("size", RowKind.VALUE),
        ("mask", RowKind.DEFAULT),
        ("scale", RowKind.DEFAULT),
    ]
    assert form.error == "size needs a value."


def test_what_does_not_apply_is_not_shown(form):
    x, size, mask, _ = form.rows
    assert [widget.isVisible() for widget in x.widgets()] == [True, False, True, True, True]
    assert [widget.isVisible() for widget in size.widgets()] == [True, True, False, False, False]
    assert [widget.isVisible() for widget in mask.widgets()] == [True, False, False, False, False]
    x.kind.setCurrentText("randint")
    assert x.number.isVisible()


def test_the_rows_say_what_the_command_line_says(form, qtbot):
    x, size, _, scale = form.rows
    with qtbot.waitSignal(form.changed):
        qtbot.keyClicks(x.shape, "4x16")
    x.dtype.setCurrentText("float64")
    x.gradient.setChecked(True)
    qtbot.keyClicks(size.number, "3")
    scale.kind.setCurrentText("value")
    scale.number.setText("0.5")
    assert form.text() == "randn 4x16 float64 requires_grad; 3; scale=0.5"
    assert form.error == ""


@pytest.mark.parametrize(
    "text",
    [
        "randn 4x16 float32 requires_grad; 3",
        "randint 0..1000 1x32; 7; mask=ones 1x32 bool",
        "full 1.5 2x2; 3; scale=2.0",
        "[randn 2, randn 3]; 3; mask=zeros 2; scale=0.5",
    ],
)
def test_a_text_that_was_remembered_fills_the_rows(form, text):
    form.set_text(text)
    assert form.text() == text
    assert form.error == ""


def test_a_mistake_names_the_parameter(form, theme):
    form.set_text("randn 4; 3")
    form.rows[0].shape.setText("4x")
    form.rows[0].changed.emit()
    assert form.error.startswith("x: '4x' is neither a shape")
    assert form.preview.text() == form.error


def test_a_text_that_cannot_be_read_fills_nothing(form):
    form.set_text("randn (")
    assert form.rows[0].text() == "randn"


def test_any_number_of_arguments_is_one_row(shown):
    form = shown(InputForm((Parameter(name="*tensors"),)))
    form.rows[0].kind.setCurrentText("ones")
    assert form.text() == "ones"
    assert form.error == ""
