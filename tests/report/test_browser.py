"""The HTML report in a real browser: its content is there, nothing is blocked, nothing is loaded."""

import re

import history_sample
import pytest
import report_sample as sample
from browser import load_page

from wirespeed.report import html


def test_the_report_opens_without_a_complaint(tmp_path):
    dom, complaints = load_page(tmp_path, html.page(history_sample.WHOLE))
    assert complaints == []
    assert "<h1>two-nodes</h1>" in dom
    assert "sysctl -w net.ipv4.conf.enp67s0np0.rp_filter=2" in dom
    assert "<script>alert" not in dom


def test_its_script_ran(tmp_path):
    dom, _ = load_page(tmp_path, html.page(sample.REPORT))
    assert re.findall(r"(\d+) of (\d+) shown", dom) == [("5", "5")]
    assert '<button type="button">Copy</button>' in dom
    assert not re.search(r'<div class="filter" hidden', dom)


MEASURE = """<script>
const said = [];
for (const figure of document.querySelectorAll("svg.heat, svg.before, svg.past")) {
  const frame = figure.viewBox.baseVal;
  for (const text of figure.querySelectorAll("text")) {
    const at = text.getBoundingClientRect(), around = figure.getBoundingClientRect();
    const scale = around.width / frame.width;
    if (at.left < around.left - 1 || at.right > around.right + scale || at.top < around.top - 1)
      said.push(text.textContent.trim());
  }
}
const fills = [...document.querySelectorAll("#peers .legend")][0].querySelectorAll(".cell rect");
said.push("shades " + new Set([...fills].map((one) => getComputedStyle(one).fill)).size);
document.title = JSON.stringify(said);
</script>"""


def test_nothing_is_cut_off_in_pictures_and_each_shade_is_another(tmp_path):
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html.page(history_sample.WHOLE))
    dom, complaints = load_page(tmp_path, page.replace("</body>", f"{MEASURE}</body>"))
    assert complaints == []
    (title,) = re.findall(r"<title>(\[.*?\])</title>", dom)
    assert title == '["shades 9"]'  # seven steps, failed, not measured


ACT = """<script>
document.getElementById("filter-text").value = "NODE2 short";
document.getElementById("filter-text").dispatchEvent(new Event("input"));
document.querySelector(".command button").click();
</script>"""


def test_filtering_and_copying(tmp_path):
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html.page(sample.REPORT))
    dom, complaints = load_page(tmp_path, page.replace("</body>", f"{ACT}</body>"))
    assert complaints == []
    assert re.findall(r"(\d+) of (\d+) shown", dom) == [("1", "5")]
    rows = re.findall(r'<tbody role="rowgroup" data-status="(\w+)"( hidden="")?>', dom)
    assert [status for status, is_hidden in rows if not is_hidden] == ["warn"]
    assert re.search(r">(Copied|Selected)</button>", dom)


@pytest.mark.slow
@pytest.mark.parametrize(
    "foreign",
    [
        "<script>document.title = 'taken'</script>",
        "<img src=x onerror=\"document.title = 'taken'\">",
        '<img src="https://wirespeed.invalid/pixel.png">',
    ],
)
def test_foreign_content_is_blocked_and_the_test_would_see_it(tmp_path, foreign):
    page = html.page(sample.REPORT).replace("</main>", f"{foreign}</main>")
    dom, complaints = load_page(tmp_path, page)
    assert complaints != []
    assert "<title>taken" not in dom
