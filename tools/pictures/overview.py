"""The picture of the whole: what becomes of a search, and what becomes of a shell command."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import NamedTuple

WIDTH, HEIGHT = 920, 330
BOX_HEIGHT = 64

# One sheet for both: a viewer that prefers dark gets the second half.
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1b2a33; }
  .small { font-size: 11px; fill: #52646e; }
  .lane { font-size: 12px; font-weight: 600; fill: #52646e; }
  .box { fill: #ffffff; stroke: #90a4ae; }
  .ours { fill: #e0f2f1; stroke: #00796b; stroke-width: 1.5; }
  .arrow { stroke: #78909c; stroke-width: 1.5; fill: none; marker-end: url(#head); }
  .head { fill: #78909c; }
  .sheet { fill: #fafcfc; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6eef0; }
    .small, .lane { fill: #a9bac1; }
    .box { fill: #263238; stroke: #607d8b; }
    .ours { fill: #12403c; stroke: #4db6ac; }
    .sheet { fill: #1b2327; }
  }
"""

HEAD = """<defs>
  <marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
    <path class="head" d="M0 0 L8 4 L0 8 z"/>
  </marker>
</defs>"""


class Box(NamedTuple):
    """A box: its left top corner, its width, what it is, and a line below that."""

    x: int
    y: int
    width: int
    title: str
    line: str
    ours: bool = False

    def draw(self) -> str:
        middle = self.x + self.width / 2
        kind = "ours" if self.ours else "box"
        return (
            f'<rect class="{kind}" x="{self.x}" y="{self.y}" width="{self.width}" height="{BOX_HEIGHT}" rx="8"/>'
            f'<text x="{middle}" y="{self.y + 28}" text-anchor="middle">{escape(self.title)}</text>'
            f'<text class="small" x="{middle}" y="{self.y + 47}" text-anchor="middle">{escape(self.line)}</text>'
        )


SEARCH = [
    Box(20, 50, 130, "agent", "asks to find"),
    Box(200, 50, 170, "glob, grep", "its own ripgrep beside it", ours=True),
    Box(420, 50, 190, "one page", "complete, or says what is not", ours=True),
    Box(660, 50, 240, "saved result", "the whole, private, with a locator", ours=True),
]
GATE = [
    Box(20, 180, 130, "shell command", "before it runs"),
    Box(200, 180, 170, "gate", "where each word lands", ours=True),
    Box(420, 180, 190, "allow, ask or deny", "and what would allow it", ours=True),
    Box(660, 180, 110, "confirm", "looked at again", ours=True),
    Box(820, 180, 80, "run", "your shell"),
]
FENCE = Box(420, 256, 190, "confine", "the kernel keeps it inside", ours=True)


def arrow(start: tuple[float, float], *points: tuple[float, float]) -> str:
    path = f"M{start[0]} {start[1]} " + " ".join(f"L{x} {y}" for x, y in points)
    return f'<path class="arrow" d="{path}"/>'


def lane(boxes: list[Box]) -> str:
    drawn = [box.draw() for box in boxes]
    for before, after in pairwise(boxes):
        y = before.y + BOX_HEIGHT / 2
        drawn.append(arrow((before.x + before.width, y), (after.x - 4, y)))
    return "".join(drawn)


def draw() -> str:
    gate, run, low = GATE[1], GATE[-1], FENCE.y + BOX_HEIGHT / 2
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
            "<title>A search becomes one page and a saved result; a command is gated, looked at again, and run</title>",
            f"<style>{STYLE}</style>",
            HEAD,
            f'<rect class="sheet" width="{WIDTH}" height="{HEIGHT}" rx="10"/>',
            '<text class="lane" x="20" y="36">Search</text>',
            lane(SEARCH),
            '<text class="lane" x="20" y="166">Shell</text>',
            lane(GATE),
            FENCE.draw(),
            arrow((gate.x + gate.width / 2, gate.y + BOX_HEIGHT), (gate.x + gate.width / 2, low), (FENCE.x - 4, low)),
            arrow(
                (FENCE.x + FENCE.width, low),
                (run.x + run.width / 2, low),
                (run.x + run.width / 2, run.y + BOX_HEIGHT + 4),
            ),
            '<text class="small" x="200" y="306">programs that no text explains</text>',
            "</svg>",
            "",
        ]
    )
