"""Would a cassette replay itself (`mcpmock check`)?"""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.showing.selfcheck import Problem, selfcheck
from tests.session.dialogue import HANDSHAKE, recorded


def problems(text: str) -> list[Problem]:
    """What the check says of a cassette."""
    return selfcheck(load(text.encode(), path="x.yaml"))


GOOD = {
    "handshake": recorded(HANDSHAKE),
    "nothing": "version: 1\nsessions: []\n",
    "an empty session": "version: 1\nsessions:\n- entries: []\n",
    "a subscription whose acknowledgement the recorder did not live to see": """\
version: 1
sessions:
- entries:
  - client:
      id: 1
      method: subscriptions/listen
      params: {_meta: {io.modelcontextprotocol/protocolVersion: "2026-07-28"}}
""",
    "rounds by hand, of a client that does not say what it can do": """\
version: 1
sessions:
- entries:
  - client:
      method: tools/call
      params: {name: greet, _meta: {io.modelcontextprotocol/protocolVersion: "2026-07-28"}}
    server:
      result:
        resultType: input_required
        inputRequests: {who: {method: elicitation/create, params: {message: who?, requestedSchema: {type: object}}}}
  - client:
      method: tools/call
      params: {name: greet, inputResponses: {who: {action: decline}}}
    server: {result: {content: []}}
""",
    "short form": """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: add, arguments: {a: 1}}}
    server: {result: {sum: 1}}
  - client: {method: tools/call, params: {name: add, arguments: {a: 1}}}
    server: {error: {code: 1, message: again}}
""",
    "a client that was refused until it had a token": """\
version: 1
sessions:
- transport: streamable_http
  entries:
  - client: {id: 0, method: initialize}
  - http: {post: 401}
  - client: {id: 0, method: initialize}
  - server: {id: 0, result: {protocolVersion: "2025-11-25", capabilities: {}}}
  - client: {id: 1, method: tools/list}
  - http: {post: 401}
  - client: {id: 2, method: tools/list}
  - server: {id: 2, result: {tools: []}}
""",
    "a call that was refused until the token was good for it": """\
version: 1
sessions:
- transport: streamable_http
  entries:
  - client: {id: 1, method: tools/call, params: {name: write}}
  - http: {post: 403}
  - client: {id: 2, method: tools/call, params: {name: write}}
  - server: {id: 2, result: {}}
  - client: {id: 3, method: tools/call, params: {name: read}}
  - http: {post: 403}
""",
    "a call that may be played several times": """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: poll}}
    server: {result: pending}
    times: 3
  - client: {method: tools/call, params: {name: poll}}
    server: {result: done}
""",
    "reads and writes": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/list}
        < {id: 1, result: {tools: [{name: a}]}}
        > {id: 2, method: tools/call, params: {name: a}}
        < {method: notifications/tools/list_changed}
        < {id: 2, result: {}}
        > {id: 3, method: tools/list}
        < {id: 3, result: {tools: [{name: a}, {name: b}]}}
        > {id: 4, method: tools/list}
        < {id: 4, result: {tools: [{name: c}]}}
        """
    ),
    "progress, a question and its answer": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: ask, _meta: {progressToken: 7}}}
        < {method: notifications/progress, params: {progressToken: 7, progress: 1}}
        < {id: 1, method: sampling/createMessage, params: {messages: [], maxTokens: 1}}
        > {id: 1, result: {role: assistant, content: {type: text, text: hi}, model: m}}
        < {method: notifications/message, params: {level: info, data: done}}
        < {id: 1, result: {content: []}}
        """
    ),
    "the same question twice, answered differently": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: ask}}
        < {id: 5, method: roots/list}
        > {id: 5, result: {roots: []}}
        < {id: 6, method: roots/list}
        > {id: 6, error: {code: 1, message: no}}
        < {id: 1, result: {content: []}}
        """
    ),
    "overlapping calls, answered in the other order": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: slow}}
        > {id: 2, method: tools/call, params: {name: fast}}
        < {id: 2, result: {x: fast}}
        < {id: 1, result: {x: slow}}
        """
    ),
    "equal ids in flight": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: a}}
        > {id: 1, method: tools/call, params: {name: b}}
        < {id: 1, result: {x: a}}
        < {id: 1, result: {x: b}}
        """
    ),
    "a cancel, and silence": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: slow}}
        > {method: notifications/cancelled, params: {requestId: 1}}
        > {id: 2, method: tools/call, params: {name: b}}
        < {id: 2, result: {}}
        """
    ),
    "two equal ids, the second cancelled": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: a}}
        < {id: 1, result: {}}
        > {id: 2, method: tools/call, params: {name: other}}
        > {id: 1, method: tools/call, params: {name: b}}
        > {method: notifications/cancelled, params: {requestId: 1}}
        < {id: 2, result: {}}
        """
    ),
    "a cancel, and what came all the same": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: slow}}
        > {method: notifications/cancelled, params: {requestId: 1}}
        < {method: notifications/message, params: {level: info, data: stopped}}
        < {id: 1, error: {code: 0, message: cancelled}}
        """
    ),
    "a cancel that came too late": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: quick}}
        < {id: 1, result: {}}
        > {method: notifications/cancelled, params: {requestId: 1}}
        > {method: notifications/cancelled}
        """
    ),
    "a request without an answer": recorded(HANDSHAKE + "> {id: 1, method: tools/call, params: {name: slow}}"),
    "a batch": recorded(
        """
        > {id: 0, method: initialize, params: {protocolVersion: "2025-03-26", capabilities: {}}}
        < {id: 0, result: {protocolVersion: "2025-03-26", capabilities: {}}}
        > [{id: 1, method: tools/call, params: {name: a}}, {id: 2, method: ping}, {method: notifications/initialized}]
        < [{id: 2, result: {}}, {id: 1, result: {x: 1}}]
        """
    ),
    "two sessions": recorded(
        HANDSHAKE + "> {id: 1, method: tools/call, params: {name: a}}\n< {id: 1, result: {x: 1}}",
        HANDSHAKE + "> {id: 1, method: tools/call, params: {name: a}}\n< {id: 1, result: {x: 2}}",
    ),
    "one process per call": recorded(
        *(
            HANDSHAKE + f"> {{id: 1, method: tools/call, params: {{name: a, arguments: {{n: {n}}}}}}}\n"
            f"< {{id: 1, result: {{x: {n}}}}}"
            for n in range(3)
        )
    ),
    "a placeholder": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: login, arguments: {token: ~secret.token.1~}}}
        < {id: 1, result: {token: ~secret.token.1~}}
        > {id: 2, method: tools/call, params: {name: who, arguments: {token: ~secret.token.1~}}}
        < {id: 2, result: {name: ann}}
        """
    ),
    "a question that the client cannot answer": recorded(
        """
        > {id: 0, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {}}}
        < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
        > {id: 1, method: tools/call, params: {name: a}}
        < {id: 1, method: sampling/createMessage, params: {}}
        > {id: 1, error: {code: -32601, message: no}}
        < {id: 1, result: {}}
        """
    ),
    "pings, noise and a line that is no message": recorded(
        HANDSHAKE
        + """
        - raw: Listening
        - stderr: "starting\\n"
        < {id: 9, method: ping}
        > {id: 9, result: {}}
        > {id: 1, method: ping}
        < {id: 1, result: {}}
        - {raw: "{not json", from: client}
        < {id: null, error: {code: -32700, message: Parse error}}
        - {raw: {base64: "/w=="}, from: client}
        - {raw: {dropped: 200000000}, from: client}
        > {id: 2, method: tools/call, params: {name: a}}
        < {id: 2, result: {x: 1}}
        """
    ),
    "the server leaves": recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: a}}
        < {id: 1, result: {}}
        - eof: server
        - exit: 1
        > {id: 2, method: tools/call, params: {name: b}}
        """
    ),
    "playing rules": """\
version: 1
match: [{method: tools/call, name: b, ignore: [/arguments/at]}]
sessions:
- entries:
  - client: {method: tools/call, params: {name: a}}
    server: {result: {x: 1}}
    times: 3
  - client: {method: tools/call, params: {name: b, arguments: {at: 1}}}
    server: {result: {x: 2}}
    delay: 200
  - client: {method: tools/call, params: {name: c}}
    server: {result: {x: 2}}
    optional: true
""",
}


@pytest.mark.parametrize("name", GOOD)
def test_what_would_replay_itself_is_good(name: str) -> None:
    """Ours (issue 2): `mcpmock check`."""
    assert problems(GOOD[name]) == []


def test_delays_and_recorded_times_are_no_hindrance() -> None:
    """Ours (issue 2): the check waits for nothing, and finds what comes late."""
    session = """
    - client: {method: tools/call, params: {name: slow}}
      server: {result: {}}
      delay: 86400000
    """
    text = "version: 1\nsessions:\n- entries:\n" + "\n".join(
        "  " + line[4:] for line in session.strip("\n").splitlines()
    )
    assert selfcheck(load(text.encode())) == []


def test_a_subscription_that_the_server_ended_plays_itself_under_any_id() -> None:
    """Spec (2026-07-28): the end tells the id of the listening request in its `_meta`, too, which is the live one."""
    envelope = "io.modelcontextprotocol/protocolVersion: '2026-07-28', io.modelcontextprotocol/clientCapabilities: {}"
    talk = ""
    for number in ("listen-1", "7"):
        told = f"_meta: {{io.modelcontextprotocol/subscriptionId: {number}}}"
        wanted = "notifications: {toolsListChanged: true}"
        acknowledged = f"method: notifications/subscriptions/acknowledged, params: {{{wanted}, {told}}}"
        talk += f"""
            > {{id: {number}, method: subscriptions/listen, params: {{{wanted}, _meta: {{{envelope}}}}}}}
            < {{{acknowledged}}}
            < {{id: {number}, result: {{resultType: complete, {told}}}}}
        """
    assert problems(recorded(talk)) == []
