"""One conversation, over a transport that does only what the test says."""

from __future__ import annotations

from typing import Any

import pytest

from hydra_harness_runtime import (
    ConfigError,
    HarnessError,
    InvalidPatternError,
    RuntimeClosedError,
    RuntimeInternalError,
    RuntimeProtocolError,
)
from hydra_harness_runtime._json import Malformed
from hydra_harness_runtime._protocol import Request
from hydra_harness_runtime._session import Call, Session
from hydra_harness_runtime._transports import Ending
from hydra_harness_runtime._transports.mock import MockTransport
from hydra_harness_runtime.testing import FakeRuntime

GREETING = {"id": 0, "result": {"serverInfo": {"version": "9"}, "instructions": "guidance"}}


class Talk:
    """A session, its transport, and what was said about its end."""

    def __init__(self, *, greeted: bool = True) -> None:
        self.transport = MockTransport()
        self.ends: list[tuple[HarnessError, bool]] = []
        self.session = Session(self.transport, self._ended)
        self.session.open()
        if greeted:
            self.transport.deliver(GREETING)

    def _ended(self, session: Session, failure: HarnessError, *, crashed: bool) -> None:
        assert session is self.session
        self.ends.append((failure, crashed))

    def submit(self, request: Request) -> Call:
        call = Call(request)
        self.session.submit(call)
        return call

    @property
    def methods(self) -> list[object]:
        return [message["method"] for message in self.transport.sent]


def test_handshake_comes_first_and_calls_follow_in_order() -> None:
    talk = Talk(greeted=False)
    calls = [talk.submit(Request("m", {"n": n})) for n in range(3)]
    assert talk.methods == ["initialize"]
    hello: Any = talk.transport.sent[0]["params"]
    assert hello["protocolVersion"] == "2025-06-18"
    assert hello["clientInfo"]["name"] == "hydra-harness-runtime-python"
    talk.transport.deliver(GREETING)
    talk.submit(Request("m", {"n": 3}))
    assert talk.methods == ["initialize", "notifications/initialized", "m", "m", "m", "m"]
    assert [m["params"] for m in talk.transport.sent[2:]] == [{"n": n} for n in range(4)]
    assert (talk.session.server_version, talk.session.instructions) == ("9", "guidance")
    assert not any(call.future.done() for call in calls)


def test_answers_find_their_calls_in_any_order() -> None:
    talk = Talk()
    calls = [talk.submit(Request("m")) for _ in range(3)]
    for call in reversed(calls):
        talk.transport.deliver({"id": call.number, "result": {"n": call.number}})
    assert [call.future.result(0) for call in calls] == [{"n": call.number} for call in calls]


def test_an_error_reaches_its_call_alone() -> None:
    talk = Talk()
    bad, good = talk.submit(Request("m")), talk.submit(Request("m"))
    data = {"code": "SEARCH_INVALID_PATTERN"}
    talk.transport.deliver({"id": bad.number, "error": {"code": 1101, "message": "no", "data": data}})
    with pytest.raises(InvalidPatternError, match="no"):
        bad.future.result(0)
    assert not good.future.done()


def test_an_error_of_unknown_form_is_still_an_answer() -> None:
    talk = Talk()
    call = talk.submit(Request("m"))
    talk.transport.deliver({"id": call.number, "error": {"code": "x", "message": 3}})
    with pytest.raises(RuntimeInternalError, match="unknown form"):
        call.future.result(0)


def test_abandoning_tells_the_runtime_and_drops_the_late_answer() -> None:
    talk = Talk()
    call = talk.submit(Request("m"))
    call.abandon("because")
    assert talk.transport.sent[-1] == {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": call.number, "reason": "because"},
    }
    assert call.future.cancelled()
    talk.transport.deliver({"id": call.number, "result": {}})
    sent = len(talk.transport.sent)
    call.abandon("again")
    assert len(talk.transport.sent) == sent


def test_abandoning_an_answered_call_says_nothing() -> None:
    talk = Talk()
    call = talk.submit(Request("m"))
    talk.transport.deliver({"id": call.number, "result": {}})
    sent = len(talk.transport.sent)
    call.abandon("late")
    assert len(talk.transport.sent) == sent
    assert call.future.result(0) == {}


def test_a_call_abandoned_before_the_handshake_is_never_sent() -> None:
    talk = Talk(greeted=False)
    call = talk.submit(Request("m"))
    call.abandon("early", suspect=True)
    talk.transport.deliver(GREETING)
    assert talk.methods == ["initialize", "notifications/initialized"]
    assert talk.transport.expectations == []


def test_a_suspect_runtime_is_asked_for_a_sign_of_life() -> None:
    talk = Talk()
    talk.submit(Request("m")).abandon("timeout", suspect=True)
    assert talk.methods[-2:] == ["notifications/cancelled", "ping"]
    assert talk.transport.expectations == [5.0]
    talk.transport.deliver({"id": talk.transport.sent[-1]["id"], "result": {}})


def test_requests_of_the_server_are_answered() -> None:
    talk = Talk()
    talk.transport.deliver({"id": "p", "method": "ping"}, {"id": "r", "method": "roots/list"})
    ping, refusal = talk.transport.sent[-2:]
    assert ping == {"jsonrpc": "2.0", "id": "p", "result": {}}
    assert refusal["id"] == "r"
    assert refusal["error"] == {"code": -32601, "message": "no method roots/list"}
    talk.transport.deliver({"method": "notifications/tools/list_changed"})


def test_a_refused_handshake_ends_the_connection() -> None:
    talk = Talk(greeted=False)
    with pytest.raises(Malformed, match="refused the handshake: too old"):
        talk.transport.deliver({"id": 0, "error": {"code": 1, "message": "too old"}})


# --- the end


def failure_of(ending: Ending, *, greeted: bool = True) -> HarnessError:
    talk = Talk(greeted=greeted)
    call = talk.submit(Request("m"))
    talk.transport.end(ending)
    assert len(talk.ends) == 1
    assert talk.ends[0][1] is True
    with pytest.raises(HarnessError) as caught:
        call.future.result(0)
    return caught.value


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        (Ending(exit_code=-9), "it was ended by SIGKILL"),
        (Ending(exit_code=-63), "it was ended by signal 63"),
        (Ending(exit_code=0), "it exited with status 0"),
        (Ending(exit_code=2, stderr_tail='{"@level":"info","@message":"serving"}\n'), "it exited with status 2"),
        (Ending(), "the connection ended"),
        (Ending(fault="it was stopped"), "it was stopped"),
        (
            Ending(exit_code=2, stderr_tail='{"@level":"info","@message":"serving"}\npanic: nil map\n'),
            "it last said: panic: nil map",
        ),
        (
            Ending(exit_code=1, stderr_tail='{"@level":"error","@message":"the connection ended badly"}'),
            "it last said: the connection ended badly",
        ),
    ],
)
def test_a_crash_fails_the_calls_in_flight(ending: Ending, says: str) -> None:
    error = failure_of(ending)
    assert type(error) is RuntimeClosedError
    assert isinstance(error, ConnectionError)
    assert (error.code, error.retryable) == ("RUNTIME_CRASHED", True)
    assert (error.exit_code, error.stderr_tail) == (ending.exit_code, ending.stderr_tail)
    assert str(error).endswith(says)


def test_garbage_is_a_protocol_error() -> None:
    error = failure_of(Ending(exit_code=-9, fault="it printed something", garbage=True))
    assert type(error) is RuntimeProtocolError
    assert error.code == "RUNTIME_PROTOCOL"


def test_a_refused_configuration_is_told() -> None:
    tail = 'noise\n{"code":"RUNTIME_CONFIG","message":"configuration key x: no such key"}\n'
    error = failure_of(Ending(exit_code=2, stderr_tail=tail), greeted=False)
    assert type(error) is ConfigError
    assert str(error) == "configuration key x: no such key"


def test_an_error_of_the_start_is_passed_on() -> None:
    error = failure_of(Ending(error=ConfigError("no")), greeted=False)
    assert type(error) is ConfigError


def test_each_waiter_gets_an_exception_of_its_own() -> None:
    talk = Talk()
    calls = [talk.submit(Request("m")) for _ in range(3)]
    talk.transport.end()
    errors = {id(call.future.exception(0)) for call in calls}
    assert len(errors) == 3


def test_a_call_after_the_end_fails_at_once() -> None:
    talk = Talk()
    talk.transport.end()
    with pytest.raises(RuntimeClosedError):
        talk.submit(Request("m")).future.result(0)


def test_closing_fails_the_calls_in_flight_and_is_no_crash() -> None:
    talk = Talk()
    call = talk.submit(Request("m"))
    talk.session.close()
    with pytest.raises(RuntimeClosedError) as caught:
        call.future.result(0)
    assert caught.value.code == "RUNTIME_CLOSED"
    assert [crashed for _, crashed in talk.ends] == [False]
    assert talk.session.wait(0)


def test_an_abandoned_call_does_not_disturb_the_end() -> None:
    talk = Talk()
    call = talk.submit(Request("m"))
    call.future.cancel()
    talk.transport.end()
    assert call.future.cancelled()
    assert talk.session._calls == {}


@pytest.mark.parametrize("error", [RuntimeError("no"), Malformed("no")])
def test_a_request_that_could_not_be_sent_is_nobodys(error: Exception) -> None:
    """As in-process, where sending is a call into Go that may raise."""

    class Refusing(MockTransport):
        refuse = False

        def send(self, line: bytes) -> None:
            if self.refuse:
                raise error
            super().send(line)

    transport = Refusing(FakeRuntime().answer)
    session = Session(transport, lambda *_, **__: None)
    session.open()
    transport.refuse = True
    with pytest.raises(type(error)):
        session.submit(Call(Request("hydra/info")))
    assert session._calls == {}
