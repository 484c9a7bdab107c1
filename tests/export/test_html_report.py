import re
import shutil
import subprocess
from html.parser import HTMLParser

import msgspec
import pytest

from aotgui.export.html_report import html_report
from aotgui.model.graph import GraphKind

VOID = {"meta", "input", "rect", "path", "use", "circle"}


class Page(HTMLParser):
    """Elements with their attributes, and that every one is closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def of(self, tag, **wanted):
        return [a for t, a in self.elements if t == tag and all(a.get(k.strip("_")) == v for k, v in wanted.items())]


def test_page_is_well_formed_and_holds_graph_tables_and_notices(capture):
    page = Page(html_report(capture))
    assert not page.open
    assert len(page.of("button", role="tab")) == len(capture.regions[0].graphs)
    nodes = {a["data-node"] for a in page.of("g") if "data-node" in a}
    assert nodes == set(capture.regions[0].graphs[GraphKind.JOINT].names)
    text = "".join(page.words)
    assert "differs from eager" in text
    assert "The gradient of layer.weight differs." in text
    assert "cannot recompute: not in recomputable allowlist" in text


def test_nothing_is_loaded_from_elsewhere(capture):
    page = Page(html_report(capture))
    loaded = [a for tag, a in page.elements if tag in {"script", "link", "img", "iframe", "object"} and a]
    assert not loaded
    (policy,) = page.of("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"].startswith("default-src 'none'")


def test_names_from_a_script_cannot_become_markup(capture):
    hostile = "<script>alert(1)</script>\"'&"
    region = capture.regions[0]
    saved = [msgspec.structs.replace(value, label=hostile, reason=hostile, module=hostile) for value in region.saved]
    changed = msgspec.structs.replace(
        capture, target=hostile, regions=[msgspec.structs.replace(region, name=hostile, saved=saved)]
    )
    page = Page(html_report(changed))
    assert not page.open
    assert len(page.of("script")) == 1


def test_tables_sort_numbers_by_value_and_not_by_their_text(capture):
    cells = Page(html_report(capture)).of("td", class_="number")
    assert cells
    assert all(float(cell["data-value"]) >= -1 for cell in cells)


def test_a_capture_without_graphs_has_its_problems(capture):
    text = html_report(msgspec.structs.replace(capture, regions=[]))
    assert "The gradient of layer.weight differs." in text
    assert "<svg" not in text


def test_dark_report_is_dark(capture):
    assert '<html lang="en" class=dark>' in html_report(capture, dark=True)


BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")
def test_chromium_runs_the_script_of_the_page(capture, tmp_path):
    """A script appended to the page uses it as a person would and writes down what it sees."""
    joint = capture.regions[0].graphs[GraphKind.JOINT]
    forward = msgspec.structs.replace(joint, kind=GraphKind.FORWARD)
    region = msgspec.structs.replace(capture.regions[0], graphs={GraphKind.JOINT: joint, GraphKind.FORWARD: forward})
    probe = """<script>
      const seen = [], first = document.querySelector(".picture svg");
      const box = () => first.viewBox.baseVal;
      const before = box().width;
      document.querySelector(".in").click();
      seen.push(box().width < before ? "zoomed" : "same");
      const field = document.querySelector("input");
      field.value = "aten.mm"; field.dispatchEvent(new Event("input"));
      seen.push(document.querySelector("output").textContent);
      document.querySelectorAll("[role=tab]")[1].click();
      seen.push(document.querySelectorAll(".picture")[0].hidden ? "second shown" : "first shown");
      const head = document.querySelector("table.sorted th.number button");
      head.click(); head.click();
      seen.push(document.querySelector("th[aria-sort]").getAttribute("aria-sort"));
      document.body.dataset.seen = seen.join("; ");
    </script></body>"""
    path = tmp_path / "report.html"
    path.write_text(html_report(msgspec.structs.replace(capture, regions=[region])).replace("</body>", probe))
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}"]
    result = subprocess.run(
        [*command, "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    (seen,) = re.findall(r'data-seen="([^"]*)"', result.stdout)
    assert seen == "zoomed; 2 found; second shown; ascending"
