"""The rules that users add: `ignore`, `times`, `optional`, `delay` (DESIGN 3; DESIGN 4, "Key")."""

from __future__ import annotations

import pytest

from mcpmock.errors import UsageError
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.order import Order
from tests.session.dialogue import dialogue, library


def recorded(arguments: str, *, rules: str = "", head: str = "") -> str:
    """A cassette that holds one call of the tool `search` with these arguments; the result is `{ok: 1}`."""
    return f"""
version: 1
{head}
sessions:
- entries:
  - client: {{method: tools/call, params: {{name: search, arguments: {arguments}}}}}
    server: {{result: {{ok: 1}}}}
    {rules}
"""


# -- ignore

SEARCH = "{q: a, at: 1, deep: [{t: 1}, {t: 2}], 'a/b': 1, 'm~n': 1}"


def live(arguments: str) -> str:
    return f"> {{id: 1, method: tools/call, params: {{name: search, arguments: {arguments}}}}}\n"


ANSWERED = "< {id: 1, result: {ok: 1}}"
MISSED = "< miss near miss 1"


@pytest.mark.parametrize(
    ("pointers", "arguments"),
    [
        (["/arguments/at"], "{q: a, at: 2, deep: [{t: 1}, {t: 2}], 'a/b': 1, 'm~n': 1}"),
        (["/arguments/at"], "{q: a, deep: [{t: 1}, {t: 2}], 'a/b': 1, 'm~n': 1}"),
        (["/arguments/deep/0/t"], "{q: a, at: 1, deep: [{t: 9}, {t: 2}], 'a/b': 1, 'm~n': 1}"),
        (["/arguments/deep/*/t"], "{q: a, at: 1, deep: [{t: 8}, {}], 'a/b': 1, 'm~n': 1}"),
        (["/arguments/a~1b", "/arguments/m~0n"], "{q: a, at: 1, deep: [{t: 1}, {t: 2}], 'a/b': 9, 'm~n': 9}"),
        (["/arguments/*"], "{q: b, x: 1}"),
        (["/arguments"], "[whatever]"),
    ],
)
def test_what_a_pointer_on_the_command_line_names_does_not_count(pointers: list[str], arguments: str) -> None:
    """Ours (DESIGN 4): RFC 6901, with `*` for any segment; absent or different, there or not."""
    cassette = recorded(SEARCH)
    dialogue(cassette, live(arguments) + ANSWERED, ignore=tuple(pointers))
    dialogue(cassette, live(arguments) + MISSED)


@pytest.mark.parametrize("pointer", ["/name", "/*"])
def test_even_the_name_may_be_ignored(pointer: str) -> None:
    """Ours (DESIGN 4): the place does not count, whatever stands there; an exact recording is still closer."""
    other = "> {id: 1, method: tools/call, params: {name: other, arguments: {at: 1}}}\n"
    dialogue(recorded("{at: 1}"), other + ANSWERED, ignore=(pointer,))
    dialogue(recorded("{at: 1}", rules=f"match: {{ignore: [{pointer}]}}"), other + ANSWERED)
    dialogue(recorded("{at: 1}"), other + "< miss unknown 1")


def test_a_pointer_names_one_place_and_not_its_neighbours() -> None:
    """Ours (DESIGN 4)."""
    other = live("{q: b, at: 1, deep: [{t: 1}, {t: 2}], 'a/b': 1, 'm~n': 1}")
    dialogue(recorded(SEARCH), other + MISSED, ignore=("/arguments/at", "/q"))


@pytest.mark.parametrize("pointer", ["arguments/at", "at", "", "/a~2"])
def test_a_pointer_that_is_none_is_refused_before_anything_is_played(pointer: str) -> None:
    """Ours (DESIGN 4): RFC 6901 section 3; the message names the pointer."""
    with pytest.raises(UsageError) as caught:
        library(recorded(SEARCH), ignore=(pointer,))
    assert repr(pointer) in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "is_ignored"),
    [
        ("{method: tools/call, name: search, ignore: [/arguments/at]}", True),
        ("{method: tools/call, ignore: [/arguments/at]}", True),
        ("{ignore: [/arguments/at]}", True),
        ("{name: search, ignore: [/arguments/at]}", True),
        ("{method: tools/call, name: other, ignore: [/arguments/at]}", False),
        ("{method: prompts/get, ignore: [/arguments/at]}", False),
    ],
)
def test_a_rule_of_the_file_counts_for_its_method_and_name(rule: str, *, is_ignored: bool) -> None:
    """Ours (DESIGN 3): `match: [{method: tools/call, name: search, ignore: [/arguments/at]}]`."""
    cassette = recorded("{at: 1}", head=f"match: [{rule}]")
    dialogue(cassette, live("{at: 2}") + (ANSWERED if is_ignored else MISSED))


def test_the_pointers_of_several_rules_and_of_the_command_line_add_up() -> None:
    """Ours (DESIGN 4)."""
    rules = "match: [{ignore: [/arguments/a]}, {method: tools/call, ignore: [/arguments/b]}]"
    cassette = recorded("{a: 1, b: 1, c: 1, d: 1}", head=rules, rules="match: {ignore: [/arguments/c]}")
    dialogue(cassette, live("{}") + ANSWERED, ignore=("/arguments/d",))
    dialogue(cassette, live("{}") + MISSED)


ENTRY_RULE = """
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: t, arguments: {q: 1, at: 1}}}
    server: {result: {said: exact}}
  - client: {method: tools/call, params: {name: t, arguments: {q: 1, at: 2}}}
    server: {result: {said: loose}}
    match: {ignore: [/arguments/at]}
"""


def test_a_rule_of_an_entry_counts_for_that_entry_only() -> None:
    """Ours (DESIGN 3): and an exact recording is closer than one of which a part is ignored."""
    dialogue(
        ENTRY_RULE,
        """
    > {id: 1, method: tools/call, params: {name: t, arguments: {q: 1, at: 3}}}
    < {id: 1, result: {said: loose}}
    > {id: 2, method: tools/call, params: {name: t, arguments: {q: 1, at: 1}}}
    < {id: 2, result: {said: exact}}
    > {id: 3, method: tools/call, params: {name: t, arguments: {q: 2, at: 1}}}
    < miss near miss 3
    """,
    )
    dialogue(
        ENTRY_RULE,
        """
    > {id: 1, method: tools/call, params: {name: t, arguments: {q: 1, at: 1}}}
    < {id: 1, result: {said: exact}}
    > {id: 2, method: tools/call, params: {name: t, arguments: {q: 1, at: 1}}}
    < {id: 2, result: {said: loose}}
    """,
    )


def test_what_is_ignored_counts_for_notifications_too() -> None:
    """Ours (DESIGN 4): the key is that of any client message."""
    cassette = """
version: 1
match: [{method: notifications/own, ignore: [/at]}]
sessions:
- entries:
  - client: {method: notifications/own, params: {at: 1}}
  - server: {method: notifications/message, params: {data: heard}}
"""
    dialogue(
        cassette,
        "> {method: notifications/own, params: {at: 2}}\n< {method: notifications/message, params: {data: heard}}",
    )


# -- times, optional, delay


TIMES = """
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: t}}
    server: {result: {n: 1}}
    times: 3
  - client: {method: tools/call, params: {name: t}}
    server: {result: {n: 2}}
"""


@pytest.mark.parametrize("order", ["stateful", "sequence", "strict"])
def test_an_interaction_is_played_as_many_times_as_it_says(order: Order) -> None:
    """Ours (DESIGN 3): `times: 3`, then the next equal one."""
    asked = [f"> {{id: {at}, method: tools/call, params: {{name: t}}}}" for at in range(1, 6)]
    said = [f"< {{id: {at}, result: {{n: {1 if at < 4 else 2}}}}}" for at in range(1, 5)]
    said.append("< miss out of order 5" if order == "strict" else "< miss exhausted 5")
    talk = "\n".join(line for pair in zip(asked, said, strict=True) for line in pair)
    dialogue(TIMES, talk, options=Options(order=order))


def test_what_is_optional_is_never_unplayed() -> None:
    """Ours (DESIGN 3): beside it, what is not optional is."""
    cassette = """
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: a}}
    server: {result: {}}
    optional: true
  - client: {method: tools/call, params: {name: b}}
    server: {result: {}}
"""
    machine = dialogue(cassette, "> {id: 1, method: ping}\n< {id: 1, result: {}}")
    assert [one.params for one in machine.unplayed()] == [{"name": "b"}]


def test_a_delay_is_kept_whatever_becomes_of_the_recorded_ones() -> None:
    """Ours (DESIGN 3): `delay: 200` is ms before the first message of the interaction, and a rule of playing."""
    cassette = recorded("{}", rules="delay: 200")
    dialogue(
        cassette,
        """
    > {id: 1, method: tools/call, params: {name: search}}
    .. 0.15
    .. 0.1
    < {id: 1, result: {ok: 1}}
    """,
    )
