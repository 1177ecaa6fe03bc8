"""docs/pictures: what `nox -s pictures` would draw today."""

from __future__ import annotations

import html
import re

import pytest

from tools.pictures import overview, terminal
from wheels.table import ROOT

PICTURES = ROOT / "docs" / "pictures"


def words(svg: str) -> list[str]:
    """The texts of a picture, line by line: how they are laid out is the library's business."""
    return [html.unescape(text).replace("\xa0", " ") for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_the_overview() -> None:
    assert (PICTURES / "overview.svg").read_text("utf-8") == overview.draw()


@pytest.mark.parametrize("name", ["overview.svg", "terminal.svg"])
def test_nothing_is_loaded_from_elsewhere(name: str) -> None:
    text = (PICTURES / name).read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "//" not in text


def test_the_terminal_shows_what_the_commands_print() -> None:
    shown = words((PICTURES / "terminal.svg").read_text("utf-8"))
    assert shown == words(terminal.draw())
    assert "ASK" in shown
    assert "DENY" in shown
