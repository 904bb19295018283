"""A new recording in the words of the old one: a review shows what has changed, and nothing else (issue 3, 3)."""

from __future__ import annotations

from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette
from mcpmock.cassette.reader import load
from mcpmock.session.events import pair_answers, unfold
from mcpmock.session.recording.aligning import aligned_sessions
from mcpmock.session.recording.likeness import Likenesses
from tests.session import dialogue
from tests.session.dialogue import HANDSHAKE


def recorded(*sessions: str, head: str = "") -> str:
    """A cassette as a recorder lays it out."""
    return dialogue.recorded(*sessions, head=head, server="s")


OLD = (
    recorded(
        HANDSHAKE
        + """
  # the first sum
  - client: {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}, _meta: {progressToken: 1}}}
  - server: {method: notifications/progress, params: {progressToken: 1, progress: 1}}
  - server: {id: 1, result: {sum: 1}}  # checked by hand
  - client: {id: 2, method: tools/call, params: {name: ask}}
  # a question
  # in two lines
  - server: {id: 0, method: roots/list}
  - client: {id: 0, result: {roots: []}}
  - server: {id: 2, result: {text: done}}
  - stderr: "bye\\n"
"""
    )
    + "  timing: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
)


def realigned(old: str, new: str) -> str:
    """The new text as it is written over the old one: the head is the old one's."""
    before, after = load(old.encode()), load(new.encode())
    starts = [session.line - 1 for session in after.sessions]
    lines = new.splitlines(keepends=True)
    texts = ["".join(lines[start:stop]) for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True)]
    head = old.splitlines(keepends=True)[: old.splitlines().index("sessions:") + 1]
    return "".join([*head, *aligned_sessions(before, old, after, texts)])


def changed(old: str, new: str) -> list[str]:
    """The lines of a diff, as a review shows them."""
    return [
        line
        for line in unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
        if line[:2] not in ("--", "++", "@@")
    ]


def as_recorded(text: str) -> str:
    """The text without comments and times, as a recorder would write it anew."""
    lines = [line.partition("  # ")[0] for line in text.splitlines() if not line.strip().startswith(("#", "timing"))]
    return "\n".join([*lines, ""])


def test_the_same_session_again_changes_nothing() -> None:
    """Ours (issue 3, 3): other ids, other tokens, other times, no comments: not a byte differs."""
    new = as_recorded(OLD)
    for number, other in (("1", "11"), ("2", "12"), ("0", "7")):
        new = new.replace(f"id: {number},", f"id: {other},").replace(f"Token: {number}", f"Token: {other}")
    assert "id: 11" in new
    assert realigned(OLD, new) == OLD


def test_an_answer_that_changed_is_all_that_a_review_shows() -> None:
    """Ours (issue 3, 3): with the id of the request, which was copied; times are those of the new recording."""
    new = as_recorded(OLD).replace("id: 1,", "id: 5,").replace("sum: 1", "sum: 2")
    assert changed(OLD, realigned(OLD, new)) == [
        "-  - server: {id: 1, result: {sum: 1}}  # checked by hand",
        "+  - server: {id: 1, result: {sum: 2}}",
        "-  timing: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
    ]


def test_a_new_request_gets_an_id_that_is_free() -> None:
    """Ours (issue 3, 3): the client has counted on, but what is copied keeps its ids."""
    new = as_recorded(OLD).replace("id: 2,", "id: 3,")
    line = "  - client: {id: 3, method: tools/call"
    added = "  - client: {id: 2, method: tools/list}\n  - server: {id: 2, result: {tools: []}}\n"
    new = new.replace(line, added + line)
    assert changed(OLD, realigned(OLD, new)) == [
        "+  - client: {id: 3, method: tools/list}",
        "+  - server: {id: 3, result: {tools: []}}",
        "-  timing: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
    ]


def test_what_is_not_asked_any_more_goes_with_its_comments() -> None:
    """Ours (issue 3, 3): and the rest stays."""
    new = as_recorded(OLD)
    start, end = new.index("  - client: {id: 1,"), new.index("  - client: {id: 2,")
    result = realigned(OLD, new[:start] + new[end:])
    assert "# the first sum" not in result
    assert "  # a question\n  # in two lines\n  - server: {id: 0, method: roots/list}\n" in result


def test_places_that_do_not_count_do_not_count_here_either() -> None:
    """Ours (issue 3, 3): volatile values are those that the rules of the cassette ignore."""
    talk = "> {id: 1, method: tools/call, params: {name: now, arguments: {at: 5}}}\n< {id: 1, result: {}}"
    old = recorded(talk, head="match: [{method: tools/call, ignore: [/arguments/at]}]")
    assert realigned(old, recorded(talk.replace("at: 5", "at: 6"))) == old


def test_each_session_is_compared_with_the_one_of_its_server_in_its_place() -> None:
    """Ours (issue 3, 3): several sessions, and one more than before."""
    first = "# one\n> {id: 1, method: tools/call, params: {name: a}}\n< {id: 1, result: {}}"
    second = "# two\n> {id: 1, method: tools/call, params: {name: b}}\n< {id: 1, result: {}}"
    old = recorded(first, second)
    new = as_recorded(recorded(first, second, second)).replace("id: 1", "id: 9")
    assert (
        realigned(old, new) == old + as_recorded(recorded(second)).replace("id: 1", "id: 9").partition("sessions:\n")[2]
    )


def test_a_file_in_another_layout_is_written_anew() -> None:
    """Ours: nobody's indentation is mixed with ours."""
    old = OLD.replace("\n  - ", "\n    - ").replace("\n  # ", "\n    # ")
    new = as_recorded(OLD)
    assert realigned(old, new) == new


def test_the_short_form_becomes_what_was_recorded() -> None:
    """Ours: a cassette that was written by hand and is recorded for the first time."""
    old = recorded("- {client: {method: tools/list}, server: {result: {tools: []}}}")
    new = recorded("> {id: 1, method: tools/list}\n< {id: 1, result: {tools: []}}")
    assert realigned(old, new) == new


def test_cancels_and_answers_to_nothing_stay_with_what_they_belong_to() -> None:
    """Ours (issue 3, 3): whatever a client or a server says, it is recorded as it was said."""
    talk = """
    > {id: 1, method: tools/call, params: {name: slow}}
    > {method: notifications/cancelled, params: {requestId: 1, reason: REASON}}
    < {id: 77, result: {stray: VALUE}}
    > {method: notifications/cancelled, params: {requestId: 99}}
    """
    old = recorded(talk.replace("REASON", "old").replace("VALUE", "1"))
    same = recorded(
        talk.replace("REASON", "new").replace("VALUE", "1").replace("Id: 1,", "Id: 5,").replace("id: 1,", "id: 5,")
    )
    assert realigned(old, same) == old
    other = recorded(talk.replace("REASON", "old").replace("VALUE", "2"))
    assert changed(old, realigned(old, other)) == [
        "-  - server: {id: 77, result: {stray: 1}}",
        "+  - server: {id: 77, result: {stray: 2}}",
    ]


def test_a_new_request_and_its_cancel_are_renumbered_together() -> None:
    """Ours (issue 3, 3)."""
    first = "> {id: 1, method: tools/call, params: {name: a}}\n< {id: 1, result: {}}\n"
    cancelled = "> {id: 1, method: tools/call, params: {name: b}}\n"
    cancelled += "> {method: notifications/cancelled, params: {requestId: 1}}\n"
    result = realigned(recorded(first), recorded(cancelled + first.replace("id: 1", "id: 2")))
    assert "{id: 2, method: tools/call, params: {name: b}}" in result
    assert "{requestId: 2}" in result


def test_what_would_not_say_the_same_is_written_as_it_was_recorded() -> None:
    """Ours: an alias whose anchor has gone; a session whose first line is not laid out as ours."""
    talk = "> {id: 1, method: a, params: ANCHOR}\n< {id: 1, result: {}}\n"
    talk += "> {id: 2, method: b, params: ALIAS}\n< {id: 2, result: {}}"
    old = recorded(talk.replace("ANCHOR", "&x {q: 1}").replace("ALIAS", "*x"))
    new = recorded("> {id: 2, method: b, params: {q: 1}}\n< {id: 2, result: {}}")
    assert realigned(old, new) == new
    bare = recorded("> {id: 1, method: a}").replace("- server: s\n  entries:", "-\n  server: s\n  entries:")
    assert realigned(bare, recorded("> {id: 1, method: a}")) == recorded("> {id: 1, method: a}")


def test_an_entry_of_many_lines_is_copied_whole() -> None:
    """Ours: the last one too, and keys of the file that stand behind the sessions stay where they are."""
    entries = "  - client:\n      id: 1\n      method: a\n  # two\n  - client:\n      id: 2\n      method: b\n"
    old = f"version: 1\nsessions:\n- server: s\n  entries:\n{entries}"
    new = recorded("> {id: 4, method: a}\n> {id: 5, method: b}\n> {id: 6, method: c}")
    assert changed(old, realigned(old, new)) == ["+  - client: {id: 6, method: c}"]


CALL = st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.booleans(), st.booleans())


def talk_of(calls: list[tuple[str, int, bool, bool]], first_id: int) -> str:
    """A session with these calls: tool, answer, with progress, with a question."""
    lines = []
    for number, (tool, answer, has_progress, has_question) in enumerate(calls, first_id):
        meta = f", _meta: {{progressToken: {number}}}" if has_progress else ""
        lines.append(f"> {{id: {number}, method: tools/call, params: {{name: {tool}{meta}}}}}")
        if has_progress:
            lines.append(
                f"< {{method: notifications/progress, params: {{progressToken: {number}, progress: {answer}}}}}"
            )
        if has_question:
            lines += [f"< {{id: {number}, method: roots/list}}", f"> {{id: {number}, result: {{roots: [{answer}]}}}}"]
        lines.append(f"< {{id: {number}, result: {{n: {answer}}}}}")
    return recorded("\n".join(lines) or "- stderr: nothing")


def said(cassette: Cassette) -> list[object]:
    """Who said what, in order, and which answers belong to which requests."""
    events = list(unfold(cassette.sessions[0].entries))
    pairs = pair_answers(events)
    return [
        (
            event.side,
            event.message and event.message.method,
            event.message and event.message.body.get("result"),
            pairs.get(at),
        )
        for at, event in enumerate(events)
    ]


@given(st.lists(CALL, max_size=6), st.lists(CALL, max_size=6), st.integers(0, 3))
def test_whatever_has_changed_the_result_says_what_was_recorded(
    before: list[tuple[str, int, bool, bool]], after: list[tuple[str, int, bool, bool]], first_id: int
) -> None:
    """Ours (issue 3, 3): nothing of the old recording comes back, no answer gets to another request."""
    new = talk_of(after, first_id)
    result = load(realigned(talk_of(before, 1), new).encode())
    assert said(result) == said(load(new.encode()))
    assert Likenesses(result.sessions[0]).of_entries == Likenesses(load(new.encode()).sessions[0]).of_entries


def test_how_often_something_was_masked_stands_behind_the_entries_as_it_is_now() -> None:
    """Ours (issue 4): `redacted:` survives where nothing has changed, and is that of the new recording where something
    has."""
    tail = "  redacted: {password: 1}\n  timing"
    old = OLD.replace("  timing", tail)
    assert realigned(old, as_recorded(old)) == old
    new = as_recorded(old).replace("sum: 1", "sum: 2").replace("password: 1", "password: 2")
    assert load(realigned(old, new).encode()).sessions[0].redacted == (("password", 2),)
