"""What hand-written YAML means: words, keys, blocks, anchors, line ends, the short form, rules."""

from __future__ import annotations

import sys
from typing import Final

import pytest

from mcpmock.cassette.events_reader import read_events
from mcpmock.cassette.model import NO_RULES, Entry, MatchRule, Rules
from mcpmock.cassette.reader import cassette_from, load
from mcpmock.cassette.yaml_events import ALIAS_BUDGET, SlowYamlWarning, best_parser, pure_parser
from mcpmock.errors import CassetteError
from mcpmock.wire.message import MISSING, Json, Message

HEAD = "version: 1\nsessions:\n- entries:\n"


def entries(text: str) -> tuple[Entry, ...]:
    """The entries of a cassette, which both parsers and the quick reader read alike."""
    data = (HEAD + text).encode()
    cassette = load(data)
    assert read_events(data, cassette_from) == cassette
    assert read_events(data, cassette_from, parser=pure_parser) == cassette
    return cassette.sessions[0].entries


def params(text: str) -> Json:
    """The params that stand in one line."""
    [entry] = entries(f"  - client: {{id: 1, method: a, params: {text}}}\n")
    return entry.messages[0].params


WORDS: Final = """
y n yes no on off True FALSE Null NULL = << .inf -.inf .nan NaN Infinity 01 010 0o17 0x1F 0b1 1_000 +1 1. .5 1e 1.e3
12:30 12:30:45 2024-01-01 1.0.0 --x -y a:b http://a.b/c#d ~x \u0663 \uff11 1\u00b2
"""


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *[("null", None), ("~", None), ("", None), ("true", True), ("false", False)],
        *[("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("9" * 4300, int("9" * 4300))],
        *[("1.0", 1.0), ("-0.5", -0.5), ("1e3", 1000.0), ("1E+2", 100.0), ("2.5e-3", 0.0025), ("-0.0", -0.0)],
        *[(word, word) for word in WORDS.split()],
    ],
)
def test_a_plain_word_means_what_json_would_say(word: str, value: Json) -> None:
    """Ours (DESIGN 3, a small safe YAML): null, true, false and the numbers of JSON; all else is text."""
    read = params(f"[{word or 'null'}, {{a: {word}, b: 1}}]")
    assert repr(read) == repr([value, {"a": value, "b": 1}])
    [entry] = entries(f"  - client:\n      method: a\n      params:\n        a: {word}\n        b: 1\n")
    assert repr(entry.messages[0].params) == repr({"a": value, "b": 1})


@pytest.mark.parametrize("word", ["1", "on", "null", "~", "true", "1.0", "<<", "=", "12:30", "2024-01-01", "0x1F"])
def test_a_key_is_the_string_that_it_is_spelt(word: str) -> None:
    """PROTOCOL 5, trap 10."""
    assert params(f"{{{word}: 1}}") == {word: 1}
    [entry] = entries(f"  - client:\n      method: a\n      params:\n        {word}: 1\n        {word}x: 2\n")
    assert entry.messages[0].params == {word: 1, f"{word}x": 2}


def test_texts_in_all_their_forms() -> None:
    """Ours (cassettes/README.md): plain, quoted, literal, and folded by hand."""
    [entry] = entries(
        """\
  - client:
      method: a
      params:
        plain: some words
        over: several
          lines
        single: 'it''s'
        double: "a\\tb\\u00e9\\
          c"
        literal: |
          a
            b

        strip: |-
          a
        keep: |+
          a

        indented: |2
            a
        folded: >
          a
          b
"""
    )
    assert entry.messages[0].params == {
        "plain": "some words",
        "over": "several lines",
        "single": "it's",
        "double": "a\tbéc",
        "literal": "a\n  b\n",
        "strip": "a",
        "keep": "a\n\n",
        "indented": "  a\n",
        "folded": "a b\n",
    }


def test_line_ends_of_windows_and_a_byte_order_mark_make_no_difference() -> None:
    """FR-09, CA-02: after a checkout on Windows, or an editor that marks its files."""
    text = HEAD + "  - stderr: |\n      a\n\n      b\n  - client: {method: a, params: {t: 'x y'}}\n    label: l\n"
    wanted = load(text.encode())
    for data in (text.replace("\n", "\r\n"), "\ufeff" + text, "\ufeff" + text.replace("\n", "\r\n")):
        assert load(data.encode()) == wanted
        for parser in (None, pure_parser):
            assert read_events(data.encode(), cassette_from, parser=parser) == wanted


def test_anchors_stand_for_their_value_wherever_they_are() -> None:
    """CA-06: in messages, for entries, for keys, within each other, of collections and of words."""
    found = entries(
        """\
  - &hello
    client: &ping {id: 1, method: &m ping, params: &p {a: &list [1, &two 2], b: *two, *m : *list}}
  - client: *ping
  - *hello
  - server: {method: *m, params: {c: *list, d: [*p, *p]}}
"""
    )
    value: Json = {"a": [1, 2], "b": 2, "ping": [1, 2]}
    assert [entry.messages[0].params for entry in found[:3]] == [value] * 3
    assert found[3].messages[0].body == {"method": "ping", "params": {"c": [1, 2], "d": [value, value]}}


def test_aliases_are_values_of_their_own() -> None:
    """Ours: whoever changes one message does not change another."""
    first, second = entries("  - client: {method: a, params: &p {a: [1]}}\n  - client: {method: b, params: *p}\n")
    assert first.messages[0].params == second.messages[0].params
    assert first.messages[0].params is not second.messages[0].params


def test_an_alias_bomb_ends_at_the_budget() -> None:
    """CA-06."""
    rows = ["&a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"&a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(CassetteError, match="stand for too much") as caught:
        params(f"[{', '.join(rows)}]")
    assert caught.value.line == 4
    assert ALIAS_BUDGET <= 100_000


def test_a_long_text_repeated_ends_at_the_budget() -> None:
    """CA-06: few events, gigabytes of text."""
    with pytest.raises(CassetteError, match="stand for too much"):
        params(f"[&long {'x' * 100_000}, {', '.join(['*long'] * 1000)}]")


def test_anchors_that_nobody_repeats_have_a_budget_too() -> None:
    """CA-06: to keep what stands behind them takes time."""
    assert len(params(f"[{', '.join(f'&a{number} x' for number in range(9_000))}]")) == 9_000
    with pytest.raises(CassetteError, match="stand for too much"):
        params(f"[{', '.join(f'&a{number} x' for number in range(11_000))}]")


def test_every_branch_knows_its_line() -> None:
    """Ours (DESIGN 3): for errors, and for who looks up what was played."""
    text = "# c\nversion: 1\nsessions:\n\n- server: a\n  entries:\n  # c\n  - client:\n      method: a\n\n  - exit: 0\n"
    for data in (text, text + "- entries: &e\n  - stderr: a\n- entries: *e\n"):
        first, *rest = load(data.encode()).sessions
        assert (first.line, [entry.line for entry in first.entries]) == (5, [8, 11])
        assert [(one.line, [entry.line for entry in one.entries]) for one in rest] in ([], [(12, [13]), (14, [13])])


def test_the_short_form_is_a_request_and_its_answer() -> None:
    """Ours (cassettes/README.md): neither has an id, and the request is one all the same."""
    [entry] = entries("  - client: {method: a}\n    server: {error: {code: 1, message: b}}\n    times: 2\n    in: x\n")
    assert entry.messages == (Message({"method": "a"}, "request"),)
    assert entry.answer == Message({"error": {"code": 1, "message": "b"}}, "response")
    assert (entry.kind, entry.rules, entry.owner) == ("client", Rules(times=2), "x")


def test_in_an_entry_of_its_own_an_absent_id_is_absent() -> None:
    """Ours (DESIGN 3)."""
    [entry] = entries("  - client: {method: tools/call}\n")
    assert (entry.messages[0].kind, entry.answer, entry.messages[0].id) == ("notification", None, MISSING)


def test_rules_and_owners() -> None:
    """Ours (cassettes/README.md): what is not said is the norm."""
    found = entries(
        "  - client: {id: 1, method: a}\n    times: 1\n    optional: false\n    delay: 0\n    match: {}\n"
        "  - client: {id: 2, method: a}\n    optional: true\n    delay: 5\n    label: l\n"
        "    match: {ignore: [/a/*/b]}\n"
        "  - server: {method: b}\n    in: 0\n  - server: {method: b}\n    in: ''\n"
    )
    assert found[0].rules is NO_RULES
    assert found[1].rules == Rules(1, True, 5, ("/a/*/b",))
    assert [entry.label for entry in found] == ["", "l", "", ""]
    assert [entry.owner for entry in found] == [MISSING, MISSING, 0, ""]


def test_rules_for_the_whole_file() -> None:
    """Ours (cassettes/README.md)."""
    block = "version: 1\nmatch:\n- method: tools/call\n  name: a\n  ignore: [/x]\n- ignore: [/y]\nsessions:\n"
    line = "version: 1\nmatch: [{method: tools/call, name: a, ignore: [/x]}, {ignore: [/y]}]\nsessions: []\n"
    for text in (block, line):
        assert load(text.encode()).match == (MatchRule("tools/call", "a", ("/x",)), MatchRule(ignore=("/y",)))


def test_an_exact_text_may_be_a_batch_or_nothing_special() -> None:
    """Ours (cassettes/README.md): it is parsed like what comes over the wire; what YAML could hold is plain."""
    found = entries(
        """  - client: '{"jsonrpc": "2.0", "id": 1, "method": "a"}'\n"""
        """  - server: '[{"jsonrpc": "2.0", "id": 1, "result": {"n": -0}}, {"jsonrpc": "2.0", "method": "b"}]'\n"""
        """  - server: ['{"jsonrpc": "2.0", "id": 2, "result": 1e999}', {method: b}]\n"""
    )
    assert found[0].messages == (Message({"id": 1, "method": "a"}, "request"),)
    assert [entry.is_batch for entry in found] == [False, True, True]
    assert found[1].messages[0].text == '{"jsonrpc": "2.0", "id": 1, "result": {"n": -0}}'
    assert [message.text is None for message in found[2].messages] == [False, True]


def test_timing_goes_to_the_entries_where_it_fits() -> None:
    """Ours (DESIGN 3): it is advisory; after an edit by hand it counts for nothing."""
    text = HEAD + "  - stderr: a\n  - exit: 0\n  timing: "
    for written, times in (("[1, 2]", [1, 2]), ("[1]", [None, None]), ("[]", [None, None]), ("[1,\n    2]", [1, 2])):
        assert [entry.at for entry in load(f"{text}{written}\n".encode()).sessions[0].entries] == times


def test_characters_that_end_lines_for_yaml_1_1_only() -> None:
    """FR-04: written raw, by hand or by another program, they stay what they are."""
    for character in ("\x85", "\u2028", "\u2029", "\u2029\x85\u2028\ue000"):
        text = f"a{character}b"
        for form in (f'"{text}"', f"'{text}'", text, f"|-\n      {text}"):
            [entry] = load(f"# {text}\n{HEAD}  - stderr: {form}\n".encode()).sessions[0].entries
            assert entry.text == text


def test_without_libyaml_there_is_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours (DESIGN 3): the same values, through the parser in Python."""
    data = f"{HEAD}  - stderr: &a b\n  - stderr: *a\n".encode()
    wanted = load(data)
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    best_parser.cache_clear()
    with pytest.warns(SlowYamlWarning):
        assert load(data) == wanted
    assert load(data) == wanted  # a second warning would be an error here
    best_parser.cache_clear()
