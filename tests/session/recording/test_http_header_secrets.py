"""What is kept of the headers of requests (2026-07-28) holds no secrets and no folders."""

from __future__ import annotations

import base64

import pytest

from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.rules import read_rules
from mcpmock.cassette.variables import MaskChain, VariableMask
from tests.session.http_talk import Talk
from tests.session.recording.test_http_stateless import META, MISMATCH, ask, call, done


def test_secrets_in_headers_are_masked() -> None:
    """DESIGN 8: what is kept of a request's headers, too; by their names, and by what is known already."""
    talk = Talk(redactor=Redactor())
    talk.answer(ask(talk, call(0)), done(0))
    talk.odd = {"Mcp-Param-Password": "hunter2-and-more"}
    talk.answer(ask(talk, call(1)), MISMATCH, 400)
    entries = talk.entries()
    assert "hunter2" not in entries
    assert "mcp-param-password: ~secret." in entries


@pytest.mark.parametrize("rule", ["key:a", "pointer:/params/arguments/a", "regex:4815[0-9]", "key:mcp-param-code"])
@pytest.mark.parametrize("value", ["48151", "=?base64?NDgxNTE=?="])
def test_a_rule_for_an_argument_is_one_for_the_header_that_mirrors_it(rule: str, value: str) -> None:
    """DESIGN 3, "No secrets": the argument was masked, and its header was told, in the form of base64 above all."""
    talk = Talk(redactor=Redactor(rules=read_rules([rule])))
    listing = {"id": 0, "method": "tools/list", "params": {"_meta": META}}
    marked = {"name": "add", "inputSchema": {"properties": {"a": {"type": "integer", "x-mcp-header": "Code"}}}}
    talk.answer(ask(talk, listing), {"id": 0, "result": {"tools": [marked]}})
    talk.odd = {"Mcp-Param-Code": value}
    talk.answer(ask(talk, call(1)), MISMATCH, 400)
    entries = talk.entries()
    assert "sent: {mcp-param-code: " in entries
    assert "48151" not in entries
    assert "NDgxNTE" not in entries


@pytest.mark.parametrize("name", ["Mcp-Param-Password", "Mcp-Name"])
def test_what_is_masked_in_a_header_is_counted_once(name: str) -> None:
    """cassettes/README.md: `redacted:` tells how often secrets were masked, not how often they were looked for."""
    redactor = Redactor()
    talk = Talk(redactor=redactor)
    talk.answer(ask(talk, call(0)), done(0))
    talk.odd = {name: "ghp_16C7e42F292c6912E7710c838347Ae178B4a"}
    talk.answer(ask(talk, call(1)), MISMATCH, 400)
    assert "~secret." in talk.entries()
    assert sum(redactor.counts.values()) == 1
    assert 0 not in redactor.counts.values()


@pytest.mark.parametrize("sent", ["/home/ann/x", "~var.home~/x"])
@pytest.mark.parametrize("is_coded", [False, True])
def test_folders_in_headers_are_masked(sent: str, *, is_coded: bool) -> None:
    """DESIGN 3: like those of the body, and once: what stands for a folder is none of its own."""
    talk = Talk(redactor=MaskChain(Redactor(), VariableMask({"home": "/home/ann"})))
    talk.answer(ask(talk, call(0)), done(0))
    coded = f"=?base64?{base64.b64encode(sent.encode()).decode()}?="
    talk.odd = {"Mcp-Name": coded if is_coded else sent}
    talk.answer(ask(talk, call(1)), MISMATCH, 400)
    told = "~var.home~/x" if sent.startswith("/") else "~var.tilde~var.home~/x"
    told = f"=?base64?{base64.b64encode(told.encode()).decode()}?=" if is_coded else told
    assert told in talk.entries()
