"""What the benchmarks print can be trusted: turns, medians, limits, and only the marked place is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import timing
from tests.timing import Row, digits, publish, table


def test_both_take_turns_and_the_median_counts() -> None:
    order: list[str] = []
    ours, raw = iter([9.0, 0.001, 0.002, 0.9]), iter([0.004, 0.5, 0.002])

    def mine() -> float:
        order.append("ours")
        return next(ours)

    def theirs() -> float:
        order.append("raw")
        return next(raw)

    text, broken = table([Row("work", mine, "rg", theirs, limit=0.5)], turns=3)
    assert order == ["ours", "raw", "ours", "ours", "raw", "raw", "ours"]
    assert text.splitlines()[-1] == "| work | 2.00 | 1.00 | `rg` | 4.00 | 0.50 | 0.5 ms |"
    assert broken == ["work: 1.00 ms at best, at most 0.5"]


def test_work_that_has_nothing_beside_it() -> None:
    text, broken = table([Row("work", lambda: 0.2)], turns=1)
    assert text.splitlines()[-1] == "| work | 200 | 200 | - | - | - | - |"
    assert broken == []


@pytest.mark.parametrize(("ms", "text"), [(0.234, "0.23"), (12.34, "12.3"), (123.4, "123")])
def test_three_figures(ms: float, text: str) -> None:
    assert digits(ms) == text


def test_only_the_marked_place_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    monkeypatch.setattr(timing, "BENCHMARKS", page)
    page.write_text("a\n<!-- written by x -->\nold\n<!-- end -->\nb\n<!-- written by y -->\n<!-- end -->\n")
    publish("x", "new\n")
    assert page.read_text() == "a\n<!-- written by x -->\nnew\n<!-- end -->\nb\n<!-- written by y -->\n<!-- end -->\n"
    with pytest.raises(SystemExit, match="no place"):
        publish("z", "new\n")
