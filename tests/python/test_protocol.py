"""The wire without a wire: frames, messages, errors."""

from __future__ import annotations

import json

import pytest

import hydra_harness_runtime as package
from hydra_harness_runtime import _protocol
from hydra_harness_runtime._json import Malformed
from hydra_harness_runtime._protocol import Failure, Incoming, Notification, Request, Splitter, Success


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_are_the_same_whatever_pieces_they_arrive_in(size: int) -> None:
    data = b'{"a":1}\n\n  \n{"b":"\xc3\xa9"}\r\n{"c":3}\n{"unfinished"'
    splitter = Splitter()
    lines = [line for i in range(0, len(data), size) for line in splitter.feed(data[i : i + size])]
    assert lines == [b'{"a":1}', b'{"b":"\xc3\xa9"}\r', b'{"c":3}']


def test_a_line_over_the_limit_is_refused_before_it_ends() -> None:
    splitter = Splitter(limit=10)
    assert list(splitter.feed(b"12345\n1234567890")) == [b"12345"]
    with pytest.raises(Malformed, match="more than 10 bytes"):
        list(splitter.feed(b"1"))


def test_a_request_is_one_line_of_compact_json() -> None:
    line = _protocol.encode_request(7, Request("m", {"text": "a\nb\u2028é"}))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 7, "method": "m", "params": {"text": "a\nb\u2028é"}}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("\ud800", "UTF-8"),
        ("caf\udce9", "give a path that is not UTF-8 as bytes"),
        (float("nan"), "no JSON form"),
        (object(), "no JSON form"),
        (b"bytes", "no JSON form"),
        ("x" * (_protocol.MAX_REQUEST_BYTES + 1), "shorten it"),
    ],
)
def test_what_has_no_form_on_the_wire_is_an_argument_error(value: object, says: str) -> None:
    with pytest.raises(package.ToolArgumentError, match=says) as caught:
        _protocol.encode_request(1, Request("m", {"value": value}))
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id":3,"result":{"x":1}}', Success(3, {"x": 1})),
        ('{"id":3,"error":{"code":1}}', Failure(3, {"code": 1})),
        ('{"id":"a","method":"ping"}', Incoming("a", "ping")),
        ('{"method":"notifications/x"}', Notification("notifications/x", {})),
        ('{"method":"notifications/x","params":{"y":2}}', Notification("notifications/x", {"y": 2})),
    ],
)
def test_messages(line: str, message: object) -> None:
    assert _protocol.parse(line.encode()) == message


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b"\xff\xfe",
        b"[]",
        b"3",
        b"[" * 100_000,
        b'{"id":3}',
        b'{"id":3,"result":[]}',
        b'{"id":true,"result":{}}',
        b'{"id":"x","result":{}}',
        b'{"id":null,"error":{}}',
        b'{"id":3,"error":"x"}',
        b'{"id":[],"method":"x"}',
        b'{"method":3}',
    ],
)
def test_anything_else_is_malformed(line: bytes) -> None:
    with pytest.raises(Malformed):
        _protocol.parse(line)


CODES = {
    "SEARCH_INVALID_PATTERN": package.InvalidPatternError,
    "SEARCH_FAILED": package.SearchFailedError,
    "SEARCH_RAW_OUTPUT_OVERFLOW": package.RawOutputOverflowError,
    "SEARCH_ABORTED": package.SearchAbortedError,
    "SEARCH_SOMETHING_NEW": package.SearchError,
    "TOOL_ARGUMENT": package.ToolArgumentError,
    "ESTABLISH_BAD_PLAN": package.BadPlanError,
    "ESTABLISH_ABORTED": package.EstablishAbortedError,
    "ESTABLISH_SOMETHING_NEW": package.EstablishError,
    "SPILL_NOT_FOUND": package.SpillNotFoundError,
    "SPILL_FAILED": package.SpillError,
    "SPILL_QUOTA": package.SpillQuotaError,
    "SPILL_SOMETHING_NEW": package.SpillError,
    "RUNTIME_BUSY": package.RuntimeBusyError,
    "RUNTIME_SHUTTING_DOWN": package.RuntimeClosedError,
    "RUNTIME_CONFIG": package.ConfigError,
    "SOMETHING_ELSE": package.HarnessError,
}


@pytest.mark.parametrize(("code", "kind"), sorted(CODES.items()))
def test_every_code_has_its_class(code: str, kind: type[package.HarnessError]) -> None:
    error = _protocol.error_from_reply(
        {"code": 1, "message": "m", "data": {"code": code, "retryable": True, "details": {"found": 3}}}, "method"
    )
    assert type(error) is kind
    assert (error.code, error.retryable, error.details, str(error)) == (code, True, {"found": 3}, "m")


def test_a_search_that_ran_out_of_time_is_a_time_out_error() -> None:
    data = {"code": "SEARCH_ABORTED", "details": {"reason": "timeout"}}
    error = _protocol.error_from_reply({"code": 1, "message": "m", "data": data}, "method")
    assert isinstance(error, package.SearchTimeoutError)
    assert isinstance(error, TimeoutError)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (-32601, package.UnsupportedMethodError),
        (-32602, package.ToolArgumentError),
        (-32603, package.RuntimeInternalError),
    ],
)
def test_errors_of_json_rpc_itself(number: int, kind: type[package.HarnessError]) -> None:
    error = _protocol.error_from_reply({"code": number, "message": "why"}, "hydra/x")
    assert type(error) is kind
    assert "hydra/x" in str(error)
    assert "why" in str(error)


def test_request_meta_says_only_what_is_set() -> None:
    assert _protocol.request_meta() == {}
    assert _protocol.request_meta(owner="o", workdir="/w", deadline_ms=5, nested=True) == {
        "dev.hydra-harness/owner": "o",
        "dev.hydra-harness/workdir": "/w",
        "dev.hydra-harness/deadlineMs": 5,
        "dev.hydra-harness/nested": True,
    }
