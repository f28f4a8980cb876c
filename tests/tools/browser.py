"""Pages in headless Chromium: what is drawn, where it is, and what the page asked the network for."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from PIL import Image

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# The page stands in a frame of the wanted width: a window of headless Chromium is never narrower than 500 pixels.
# The script is the wrapper's; the page itself is shown as it is.
WRAPPER = """<!DOCTYPE html><html><body style="margin:0">
<iframe id="page" style="border:0;display:block;width:{width}px;height:{height}px" srcdoc="{page}"></iframe>
<pre id="probe"></pre>
<script>
page.onload = () => {{
  const content = page.contentDocument, root = content.documentElement;
  const box = (e) => {{ const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }};
  const charts = [...content.querySelectorAll("svg[data-chart]")].map((svg) => ({{
    kind: svg.dataset.chart, group: svg.dataset.group, k: svg.dataset.k, box: box(svg),
    holder: box(svg.parentElement), scroll: svg.parentElement.scrollWidth, shown: svg.parentElement.clientWidth,
    cells: [...svg.querySelectorAll("g[data-row]")].map((g) => ({{
      row: g.dataset.row, column: g.dataset.column, box: box(g.querySelector("rect")),
      texts: [...g.querySelectorAll("text")].map((t) => ({{text: t.textContent, box: box(t)}})),
      dot: g.querySelector("circle") ? box(g.querySelector("circle")) : null}})),
    bars: [...svg.querySelectorAll("g[data-bar]")].map((g) => ({{
      name: g.dataset.bar, box: box(g.querySelector("rect")),
      texts: [...g.querySelectorAll("text")].map((t) => ({{text: t.textContent, box: box(t)}}))}}))}}));
  probe.textContent = JSON.stringify({{
    width: page.contentWindow.innerWidth, scroll_width: root.scrollWidth, height: box(content.body)[3],
    headings: [...content.querySelectorAll("h1, h2")].map((h) => h.textContent), charts,
    fetched: page.contentWindow.performance.getEntriesByType("resource").map((e) => e.name)}});
}};
</script></body></html>"""


class Shot(NamedTuple):
    image: Image.Image
    probe: dict

    def chart(self, kind: str, k: int | None = None, group: int = 0) -> dict:
        found = [c for c in self.probe["charts"]
                 if (c["kind"], c["group"]) == (kind, str(group)) and (k is None or c.get("k") == str(k))]
        assert len(found) == 1, (kind, k, group, [(c["kind"], c["group"], c.get("k")) for c in self.probe["charts"]])
        return found[0]

    def color(self, x: float, y: float) -> str:
        return "#%02x%02x%02x" % self.image.getpixel((int(x), int(y)))


def cell_of(chart: dict, row, column) -> dict:
    found = [c for c in chart["cells"] if (c["row"], c["column"]) == (str(row), str(column))]
    assert len(found) == 1, (row, column)
    return found[0]


def render(page: Path, folder: Path, width: int, height: int, dark: bool = False) -> Shot:
    name = f"{page.stem}-{width}x{height}{'-dark' if dark else ''}"
    wrapper, image = folder / f"{name}.wrapper.html", folder / f"{name}.png"
    wrapper.write_text(WRAPPER.format(width=width, height=height, page=html.escape(page.read_text())))
    command = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        "--disable-dev-shm-usage", f"--user-data-dir={folder / 'profile'}", f"--window-size={max(width, 500)},{height}",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        "--dump-dom", f"--screenshot={image}", wrapper.as_uri(),
    ]  # fmt: skip
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=180)
    match = re.search(r'<pre id="probe">(.*?)</pre>', result.stdout, re.S)
    assert result.returncode == 0 and match and image.exists(), result.stderr[-2000:]
    probe = json.loads(html.unescape(match[1]))
    assert probe["width"] == width
    return Shot(Image.open(image).convert("RGB").crop((0, 0, width, height)), probe)
