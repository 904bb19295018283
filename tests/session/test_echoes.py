"""Which of many open requests a question belongs to: found soon, and by the rule alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.session.echoes import Echoes
from mcpmock.session.interaction import Interaction
from mcpmock.session.story import Story
from mcpmock.wire.message import Json, Message

WORDS = ["a", "ab", "abc", "the cart", "the cart is full", "the cart is empty", "x" * 40, "x" * 33 + "y", "éé", ""]
texts = st.lists(st.sampled_from(WORDS), max_size=4)


def request(number: int, arguments: Json) -> Interaction:
    message = Message(
        {"id": number, "method": "tools/call", "params": {"name": "a", "arguments": arguments}}, "request"
    )
    return Interaction(number, message, Entry("client", (message,)), 0)


def by_the_rule(asking: dict[int, list[str]], asked: set[int], words: str, allowed: set[int]) -> int | None:
    """Rule 4, said once more, request by request."""

    def score(number: int) -> tuple[float, int, bool, int]:
        said = [text for text in asking[number] if text]
        echoed = [text for text in said if text in words]
        part = len(echoed) / len(said) if said else 0.0
        return part, sum(map(len, echoed)), number not in asked, -number

    return max((number for number in asking if number in allowed), key=score, default=None)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("opens"), texts),
        st.tuples(st.just("closes"), st.integers(1, 12)),
        st.tuples(st.just("asks"), st.tuples(texts, st.sets(st.integers(1, 12)))),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(steps)
def test_the_request_is_the_one_that_the_rule_tells(steps: list[tuple[str, object]]) -> None:
    """Ours (DESIGN 3, rule 4): whatever is open, and whichever of it has asked before."""
    echoes, asking, asked = Echoes(), dict[int, list[str]](), set[int]()
    requests: list[Interaction] = []
    for what, told in steps:
        if what == "opens":
            requests.append(request(len(requests) + 1, told))  # type: ignore[arg-type]
            echoes.add(requests[-1])
            asking[len(requests)] = told  # type: ignore[assignment]
        elif what == "closes" and isinstance(told, int) and told in asking:
            echoes.remove(requests[told - 1])
            del asking[told]
        elif what == "asks":
            assert isinstance(told, tuple)
            said, forbidden = told
            allowed = set(asking) - forbidden
            chosen = echoes.choose({"messages": said}, allowed.__contains__)
            assert chosen == by_the_rule(asking, asked, "\n".join(said), allowed)
            if chosen is not None:
                echoes.asked(requests[chosen - 1])
                asked.add(chosen)


def question(number: int, text: str) -> Message:
    return Message({"id": number, "method": "sampling/createMessage", "params": {"messages": [text]}}, "request")


def test_thousands_of_calls_that_are_open_at_once_are_grouped_soon() -> None:
    """Ours (issue 4): each with a question, a log and a progress of its own; quadratic time would be minutes here."""
    numbers = range(1, 2_001)
    calls = [request(number, {"prompt": f"question {number} of them", "model": "m"}).request for number in numbers]
    questions = [question(number, f"so: question {number} of them") for number in numbers]
    log = Message({"method": "notifications/message", "params": {"level": "info", "data": ""}}, "notification")
    changed = Message({"method": "notifications/tools/list_changed"}, "notification")
    said = [*questions, *(Message({"id": number, "result": {}}, "response") for number in numbers)]
    entries = [Entry("client", (call,)) for call in calls if call is not None]
    entries += [Entry("server", (message,)) for one in said for message in (one, log, changed)]
    [timeline] = Story(Cassette((Session(tuple(entries)),))).timelines
    owners = {
        step.message.id: one.number
        for one in timeline.interactions
        for step in one.steps
        if step.kind == "ask" and step.message
    }
    assert owners == {number: number for number in numbers}
