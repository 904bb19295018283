"""Rules that people wrote into a cassette survive its re-recording (DESIGN 3): each on the request that it was for."""

from __future__ import annotations

import json

from mcpmock.cassette.model import NO_RULES, Entry, Rules
from mcpmock.cassette.reader import load
from mcpmock.session.recording.rules import RuleBook, ruling_from, rulings_of

CASSETTE = """\
version: 1
sessions:
- server: one
  entries:
  - client: {id: 1, method: tools/call, params: {name: poll}}
  - client: {id: 2, method: tools/call, params: {name: poll}}
    times: 3
  - client: {id: 3, method: tools/call, params: {name: store, arguments: {b: 1, a: 2}}}
    optional: true
    delay: 200
    match: {ignore: [/arguments/b]}
  - server: {id: 3, result: {}}
  - client: {id: 9, result: {}}
- server: one
  entries:
  - client: {id: 1, method: tools/call, params: {name: poll}}
    delay: 7
- server: other
  entries:
  - client: {id: 1, method: ping}
    times: 2
"""
POLL, POLLED, STORE, _, ANSWER = load(CASSETTE.encode()).sessions[0].entries
SWAPPED = load(CASSETTE.replace("{b: 1, a: 2}", "{a: 2, b: 1}").encode()).sessions[0].entries[2]


def book(server: str, seen: dict[str, int] | None = None) -> RuleBook:
    """What the cassette says of a server, having been JSON meanwhile."""
    rulings = json.loads(json.dumps(list(rulings_of(load(CASSETTE.encode())))))
    return RuleBook(map(ruling_from, rulings), server, seen or {})


def rules_of(book: RuleBook, *entries: Entry) -> list[Rules]:
    """What a book attaches to entries that have none yet."""
    return [book.attach(entry._replace(rules=NO_RULES)).rules for entry in entries]


def test_a_rule_is_attached_to_the_request_that_was_asked_as_often_before() -> None:
    """DESIGN 3: of equal requests each has its own rules; the order of keys does not matter."""
    stored = Rules(optional=True, delay=200, ignore=("/arguments/b",))
    found = rules_of(book("one"), POLL, SWAPPED, POLL, POLL, POLL)
    assert found == [NO_RULES, stored, Rules(times=3), Rules(delay=7), NO_RULES]


def test_how_often_it_was_asked_counts_over_the_sessions_of_a_run() -> None:
    """DESIGN 3, "One cassette, several processes"."""
    first = book("one")
    rules_of(first, POLL, POLL)
    assert rules_of(book("one", first.seen), POLL) == [Rules(delay=7)]


def test_what_another_server_was_asked_and_what_nobody_asked_has_no_rules() -> None:
    """Ours: rules are those of one server's requests; answers have none."""
    assert rules_of(book("other"), POLL, POLLED, STORE, ANSWER) == [NO_RULES] * 4
    assert rules_of(book("nowhere"), POLL, POLLED) == [NO_RULES] * 2
