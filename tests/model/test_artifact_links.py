"""Lines of what compilers make, linked to nodes."""

from __future__ import annotations

from aotgui.model.artifact_links import links_of

NAMES = ["primals_1", "mm", "native_layer_norm", "getitem", "add"]
PYTHON = """\
def forward(self, primals_1):
    mm = torch.ops.aten.mm.default(primals_1, primals_1);  primals_1 = None
    add: "f32[4]" = mm + 1
    buf0 = mm
    if mm == 3:
    return (add,)
"""
IR = """\
graph(%self : __torch__.torch.fx.graph_module.f,
      %primals_1.1 : Tensor):
  %9 : float = prim::Constant[value=1e-05]()
  %mm.1 : Tensor = aten::mm(%primals_1.1, %primals_1.1)
  %getitem.1 : Tensor, %17 : Tensor = aten::native_layer_norm(%mm.1, %9)
  return (%mm.1)
"""
INDUCTOR = """\
        # Topologically Sorted Source Nodes: [mm, add, unknown], Original ATen: [aten.mm]
        extern_kernels.mm(primals_1)
        buf1 = buf0; del buf0  # reuse
"""


def test_fx_code():
    assert links_of(PYTHON, "python", NAMES) == {1: ["mm"], 2: ["add"]}


def test_torchscript_names_what_a_line_computes():
    assert links_of(IR, "text", NAMES) == {1: ["primals_1"], 3: ["mm"], 4: ["getitem"]}


def test_inductor_names_what_was_fused():
    assert links_of(INDUCTOR, "python", NAMES) == {0: ["mm", "add"]}


def test_nothing_is_linked_in_other_text():
    assert links_of("mm mm mm\n\n", "text", NAMES) == {}
    assert links_of("", "python", NAMES) == {}
