"""Values for the tests of the cassette's YAML: any JSON, treacherous strings, whole cassettes."""

from __future__ import annotations

import json
from typing import Final

from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Entry, HttpFact, HttpNorm, MatchRule, Rules, Session
from mcpmock.wire.message import MISSING, Json, Message, message_from

_WORDS: Final = r"""
y n yes no on off true false null Y N Yes NO On OFF True FALSE Null NULL ~ = << .inf -.inf +.INF .nan .NaN
1 -1 +1 0 -0 007 010 0o17 0x1F 0b101 1_000 1e3 1E5 1.5e3 1e+16 1e400 .5 5. 1. 1.0 - -- --- ... + .
12:30 12:30:45 190:20:30 2024-01-01 2024-01-01T10:00:00Z 1.0.0 3.11 685_230.15 1,000
! & * ? : | > % @ ` # , [ ] { } ' " \ a: :a a:b #a a#b @a `a %a !a &a *a |a >a 'a "a -a --a ?a {a} [a] '' ""
http://a.b/c?d=e&f=g#h ~secret.token.1~ file:///x /tmp/x $ref x-y application/json 日本語 é ß ½ 😀 \u0041 \ud800 a\
"""
_LINES: Final = r"""
a: b|a #b|- a|? a|: a|a, b|a - b|{a: b}|[a, b]|!!str a|&a b|*a b|%YAML 1.2|{"a": [1, "b"]}|say "hi"|it's|it's "so"
"""
_BLANKS: Final = ("", " ", "  ", "\n", "\n\n", "\t", " a", "a ", "\ta", "a\t", "a\n", "a\n\n", "\na", "\n a", "a\n ")
_BLOCKS: Final = (
    *("a \nb", "a\t\nb", "a\nb", "a\n\nb\n", "a\n  b\n", "  a\nb", "\n\n  a\nb\n", "a\n\n\n", "a\n# b\n", "\ta\nb"),
    *("a\n--- b\n...\n", "---\na", "a\n" * 50, "  - a: b\n    c: d\n", "| a\n", "a\n'b\n\"c\n"),
)
_CHARACTERS: Final = (
    *("\r", "a\rb", "a\r\nb", "\x00", "\x07", "\x1b[0m", "\x7f", "\x80", "\x85", "a\x85b", "\xa0", "a\xa0", "a\xa0\nb"),
    *("\u2028", "a\u2028b", "\u2029", "\ufeff", "\ufeffa", "\ufffe", "\uffff", "\U0001fffe", "\u202ea", "\u200b"),
    "\u3000",
)
_LONG: Final = ("x" * 5000, "x y " * 300, '"' * 300, "'" * 300, "\\" * 300, "k" * 1100, "é" * 1100, "a, b: c " * 20)

TREACHEROUS: Final = (*_WORDS.split(), *_LINES.strip().split("|"), *_BLANKS, *_BLOCKS, *_CHARACTERS, *_LONG)
"""Strings that some reader or writer of YAML has taken for something else, or changed."""

texts = st.one_of(
    st.sampled_from(TREACHEROUS),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text(st.sampled_from(" \n\t#:-'\"a,|>[]{}"), max_size=12),
)
numbers = st.one_of(
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 1e16, 1e-7, 1e22, 5e-324, 1.7976931348623157e308, 10**400, -(10**21), 10**4299]),
)
json_values: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(texts, inner, max_size=5)),
    max_leaves=25,
)


def message(body: dict[str, Json]) -> Message:
    """The message with this body."""
    found = message_from(body)
    assert isinstance(found, Message)
    return found


def call(value: Json) -> Message:
    """A request that holds the value."""
    return message({"id": 1, "method": "tools/call", "params": value})


pointers = st.lists(st.sampled_from(["/a", "/a/*/b", "/", "/~0~1", "/é", "/a b: c #d"]), max_size=2).map(tuple)
rules = st.builds(Rules, times=st.integers(1, 3), optional=st.booleans(), delay=st.integers(0, 300), ignore=pointers)
said = json_values.map(call)
with_body = st.sampled_from([200, 202, 400, 401, 404, 405, 502, 599, 600, 999])
statuses = st.one_of(with_body, st.sampled_from([204, 304]))
answers = st.sampled_from(["", "json", "stream"])
names = st.sampled_from(["allow", "retry-after", "www-authenticate", "x-~1.a_b", "1"])
header_texts = texts.map(lambda text: "".join(text.split())).map(lambda text: text.replace("\0", ""))
header_pairs = st.dictionaries(names, header_texts, max_size=2).map(lambda pairs: tuple(pairs.items()))
owners = st.one_of(st.just(MISSING), st.integers(), texts)
facts_beside = st.builds(HttpFact, status=with_body, answers=answers, headers=header_pairs)
facts = st.one_of(
    st.builds(
        HttpFact,
        verb=st.sampled_from(["GET", "POST", "DELETE"]),
        path=texts,
        status=with_body,
        media=header_texts,
        body=st.one_of(st.just(MISSING), st.binary(), json_values),
        headers=header_pairs,
    ),
    st.builds(HttpFact, verb=st.just("POST"), status=statuses, headers=header_pairs),
    st.builds(HttpFact, verb=st.just("GET"), is_stream=st.just(True), resumes=owners, headers=header_pairs),
    st.builds(HttpFact, end=st.sampled_from(["closed", "aborted"]), side=st.sampled_from(["client", "server"])),
    st.just(HttpFact(is_priming=True)),
)
norms = st.builds(
    HttpNorm,
    answers=st.sampled_from(["json", "stream"]),
    session=st.booleans(),
    accepted=statuses,
    get=st.one_of(st.sampled_from(["", "stream"]), statuses),
    delete=statuses,
    ids=st.booleans(),
    priming=st.booleans(),
    retry=st.one_of(st.none(), st.integers(0, 5000)),
)
entries = st.one_of(
    st.builds(lambda one, **rest: Entry("client", (one,), **rest), said, rules=rules, label=texts),
    st.builds(lambda one, **rest: Entry("server", (one,), **rest), said, owner=st.one_of(st.integers(), texts)),
    st.builds(lambda many: Entry("server", tuple(many), is_batch=True), st.lists(said, min_size=1, max_size=3)),
    st.builds(lambda text, side: Entry("raw", text=text, side=side), texts, st.sampled_from(["client", "server"])),
    st.builds(lambda data: Entry("raw", text=data), st.binary()),
    st.builds(lambda size: Entry("raw", size=size), st.integers(1)),
    st.builds(lambda text: Entry("stderr", text=text), texts),
    st.builds(lambda side: Entry("eof", side=side), st.sampled_from(["client", "server"])),
    st.builds(lambda status: Entry("exit", status=status), st.one_of(st.integers(0, 255), st.just("SIGKILL"))),
    st.builds(lambda one, fact: Entry("server", (one,), http=fact), said, facts_beside),
    st.builds(lambda **parts: Entry("http", **parts), http=facts, label=texts, owner=owners),
)
sessions = st.builds(
    lambda **parts: Session(**parts),
    entries=st.lists(entries, max_size=4).map(tuple),
    server=texts,
    transport=st.sampled_from(["stdio", "streamable_http", "sse", "memory"]),
    command=st.lists(texts, max_size=4).map(tuple),
    env=st.dictionaries(texts, texts, max_size=3).map(lambda pairs: tuple(pairs.items())),
    url=texts,
    http=norms,
)
match_rules = st.builds(lambda **parts: MatchRule(**parts), method=texts, name=texts, ignore=pointers)
cassettes = st.builds(
    lambda *parts: Cassette(*parts),
    st.lists(sessions, max_size=2).map(tuple),
    st.lists(match_rules, max_size=2).map(tuple),
    texts,
)


def cassette_of(*entries: Entry) -> Cassette:
    """A cassette with one session of these entries."""
    return Cassette((Session(entries),))


def without_places(cassette: Cassette) -> Cassette:
    """The cassette as if it came from no file."""
    return cassette._replace(
        path="",
        sessions=tuple(
            session._replace(line=0, entries=tuple(entry._replace(line=0) for entry in session.entries))
            for session in cassette.sessions
        ),
    )


def spelt(value: Json) -> str:
    """The value as JSON: tells 1 from 1.0, 0.0 from -0.0, and one order of keys from another."""
    return json.dumps(value)
