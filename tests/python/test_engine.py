"""The life of runtimes behind a client, with a clock and transports of the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_harness_runtime import RuntimeClosedError, ToolArgumentError
from hydra_harness_runtime import _engine as engine_module
from hydra_harness_runtime._engine import Engine
from hydra_harness_runtime._protocol import Request
from hydra_harness_runtime._session import Call
from hydra_harness_runtime._transports import Ending
from hydra_harness_runtime._transports.mock import MockTransport
from hydra_harness_runtime.testing import FakeRuntime


class Machine:
    """An engine, every transport it made, and its clock."""

    def __init__(self) -> None:
        self.made: list[MockTransport] = []
        self.now = 1000.0
        self.engine = Engine(self._connect, clock=lambda: self.now)

    def _connect(self) -> MockTransport:
        self.made.append(MockTransport(FakeRuntime().answer))
        return self.made[-1]

    def submit(self, request: Request) -> Call:
        call = Call(request)
        self.engine.submit(call)
        return call

    def crash(self) -> None:
        self.submit(Request("ping"))
        self.made[-1].end(Ending(exit_code=3))


def test_nothing_starts_before_the_first_call() -> None:
    machine = Machine()
    assert machine.made == []
    assert machine.submit(Request("ping")).future.result(0) == {}
    assert machine.submit(Request("ping")).future.result(0) == {}
    assert len(machine.made) == 1


def test_the_call_after_a_crash_starts_another() -> None:
    machine = Machine()
    machine.crash()
    assert machine.submit(Request("ping")).future.result(0) == {}
    assert len(machine.made) == 2


def test_endless_crashes_are_not_endless_starts() -> None:
    machine = Machine()
    for _ in range(10):
        machine.crash()
        machine.now += 1
    with pytest.raises(RuntimeClosedError, match=r"status 3 \(it ended 10 times within 60 s; no new start for 50 s\)"):
        machine.submit(Request("ping"))
    assert len(machine.made) == 10
    machine.now += 50
    assert machine.submit(Request("ping")).future.result(0) == {}


def test_rare_crashes_do_not_add_up() -> None:
    machine = Machine()
    for _ in range(30):
        machine.crash()
        machine.now += 10
    assert machine.submit(Request("ping")).future.result(0) == {}


def test_closing_is_final_and_may_be_repeated() -> None:
    machine = Machine()
    machine.submit(Request("ping"))
    machine.engine.close()
    machine.engine.close()
    assert machine.engine.closed
    assert machine.made[0].ended.done()
    with pytest.raises(RuntimeClosedError, match="make a new one"):
        machine.submit(Request("ping"))


def test_closing_what_never_started() -> None:
    machine = Machine()
    machine.engine.close()
    assert machine.made == []


def test_a_runtime_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "HANG_UP_SECONDS", 0.01)
    monkeypatch.setattr(MockTransport, "hang_up", lambda self: None)
    machine = Machine()
    machine.submit(Request("ping"))
    machine.engine.close()
    assert machine.made[0].killed


def test_a_retired_session_is_replaced() -> None:
    machine = Machine()
    call = machine.submit(Request("ping"))
    machine.engine.retire(call)
    machine.engine.retire(call)
    machine.submit(Request("ping"))
    assert len(machine.made) == 2


def test_an_argument_error_starts_but_breaks_nothing() -> None:
    machine = Machine()
    with pytest.raises(ToolArgumentError):
        machine.submit(Request("m", {"x": "\ud800"}))
    assert machine.submit(Request("ping")).future.result(0) == {}


def test_a_forked_child_forgets_the_parents_session() -> None:
    machine = Machine()
    machine.submit(Request("ping"))
    machine.engine.forget()  # what the child's fork hook calls
    assert machine.made[0].forgotten
    assert not machine.made[0].ended.done()
    machine.submit(Request("ping"))
    assert len(machine.made) == 2


def test_exit_closes_every_engine_within_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = [Machine() for _ in range(3)]
    for machine in machines:
        machine.submit(Request("ping"))
    stubborn = machines[1].made[0]
    monkeypatch.setattr(stubborn, "hang_up", lambda: None)
    monkeypatch.setattr(engine_module, "HANG_UP_SECONDS", 0.01)
    monkeypatch.setattr(engine_module, "_engines", {machine.engine for machine in machines})
    engine_module._close_all()
    assert all(machine.made[0].ended.done() for machine in machines)
    assert [machine.made[0].killed for machine in machines] == [False, True, False]


def test_an_engine_that_is_made_while_all_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Growing(list[Engine]):
        grown = False

        def __iter__(self) -> Iterator[Engine]:
            if not self.grown:
                self.grown = True
                raise RuntimeError("Set changed size during iteration")
            return super().__iter__()

    machine = Machine()
    machine.submit(Request("ping"))
    monkeypatch.setattr(engine_module, "_engines", Growing([machine.engine]))
    engine_module._close_all()
    assert machine.made[0].ended.done()


def test_closing_may_be_repeated_until_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the first leaves something for the second to do."""
    machine = Machine()
    machine.submit(Request("ping"))

    def interrupted() -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(machine.made[0], "hang_up", interrupted)
    with pytest.raises(KeyboardInterrupt):
        machine.engine.close()
    assert machine.engine.closed
    machine.engine.close()
    assert machine.made[0].ended.done()


def test_who_hears_of_a_crash_can_call_again_at_once() -> None:
    machine = Machine()
    first = machine.submit(Request("ping"))
    silent = machine.submit(Request("notifications/none"))
    machine.made[0]._answer = None
    waiting = machine.submit(Request("ping"))
    again: list[object] = []
    waiting.future.add_done_callback(lambda _: again.append(machine.submit(Request("ping")).future.result(0)))
    machine.made[0].end(Ending(exit_code=3))
    assert first.future.result(0) == {}
    assert silent.future.done()
    assert again == [{}]
