"""The smallest talks: a hand-written cassette, and a recorded one."""

from __future__ import annotations

from tests.session.dialogue import dialogue

ADD = """
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: add, arguments: {a: 1, b: 2}}}
    server: {result: {sum: 3}}
"""


def test_a_short_form_answers_its_request() -> None:
    """Ours (DESIGN 3)."""
    dialogue(
        ADD,
        """
    > {id: 7, method: tools/call, params: {name: add, arguments: {b: 2, a: 1.0}}}
    < {id: 7, result: {sum: 3}}
    > {id: "7", method: tools/call, params: {name: add, arguments: {b: 2, a: 1.0}}}
    < miss exhausted "7"
    > {id: 8, method: tools/call, params: {name: add, arguments: {b: 2, a: 2}}}
    < miss near miss 8
    > {id: 8, method: tools/call, params: {name: sub}}
    < miss unknown 8
    """,
    )


QUESTION = """
version: 1
sessions:
- entries:
  - client: {id: 0, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {sampling: {}}}}
  - server: {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {tools: {}}}}
  - client: {method: notifications/initialized}
  - client: {id: 1, method: tools/call, params: {name: ask, _meta: {progressToken: 1}}}
  - server: {method: notifications/progress, params: {progressToken: 1, progress: 1}}
  - server: {id: 0, method: sampling/createMessage, params: {maxTokens: 9}}
  - client: {id: 0, result: {text: hi}}
  - server: {id: 1, result: {said: hi}}
"""


def test_a_question_is_asked_and_its_answer_awaited() -> None:
    """Ours (DESIGN 4, Answering)."""
    dialogue(
        QUESTION,
        """
    > {id: 1, method: initialize, params: {protocolVersion: "2025-11-25", capabilities: {sampling: {}}}}
    < {id: 1, result: {protocolVersion: "2025-06-18", capabilities: {tools: {}}}}
    > {method: notifications/initialized}
    > {id: a, method: tools/call, params: {name: ask, arguments: {}, _meta: {progressToken: "t"}}}
    < {method: notifications/progress, params: {progressToken: "t", progress: 1}}
    < {id: 0, method: sampling/createMessage, params: {maxTokens: 9}}
    > {id: 2, method: ping}
    < {id: 2, result: {}}
    > {id: 0, error: {code: -1, message: no}}
    < {id: a, result: {said: hi}}
    """,
    )
