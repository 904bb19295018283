r"""Messages that YAML cannot hold, kept as their exact JSON text (DESIGN 3): played like any other.

A lone surrogate, 5,000 digits, 1e400, -0, a duplicate key: what the client gets is that very text, with its own ids.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mcpmock.session.playing.actions import Action, Send
from tests.session.dialogue import HANDSHAKE, dialogue, playback, recorded

DIGITS = "9" * 5000
ODD = [
    pytest.param(r'"\ud800"', id="a lone surrogate"),
    pytest.param(DIGITS, id="5,000 digits"),
    pytest.param("-" + DIGITS, id="5,000 digits below zero"),
    pytest.param("1e400", id="beyond a double"),
    pytest.param("-1E+400", id="beyond a double, another spelling"),
    pytest.param("-0", id="minus zero"),
    pytest.param('{"a":1,"a":2}', id="a duplicate key"),
    pytest.param('[{ "id" : 7 , "id" : 8 }]', id="blanks, and ids that are none"),
]


def texts(actions: Sequence[Action]) -> list[str]:
    """What is sent, to the letter."""
    return [action.text for action in actions if isinstance(action, Send)]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("live_id", ["7", '"7"', "0", "-1", '""', "1.5", "9007199254740993"])
def test_an_answer_goes_out_to_the_letter_under_the_live_id(odd: str, live_id: str) -> None:
    """Ours (DESIGN 3): the id keeps its JSON type, whatever is around it stays."""
    machine = playback(
        recorded(
            f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    - server: '{{"jsonrpc": "2.0", "id": 1, "result": {odd}, "x": [] }}'
    """
        )
    )
    request = f'{{"jsonrpc":"2.0","id":{live_id},"method":"tools/call","params":{{"name":"a"}}}}'
    answer = f'{{"jsonrpc": "2.0", "id": {live_id}, "result": {odd}, "x": [] }}'
    assert texts(machine.receive(request.encode())) == [answer]


@pytest.mark.parametrize("odd", ODD)
def test_in_the_short_form_it_gets_the_live_id(odd: str) -> None:
    """Ours (DESIGN 3): there neither side has an id; the answer has to have one."""
    client, server = '"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}', f'"jsonrpc":"2.0","result":{odd}'
    machine = playback(recorded(f"- {{client: '{{{client}}}', server: '{{{server}}}'}}"))
    assert texts(machine.receive(f'{{"id":"x",{client}}}'.encode())) == [f'{{"id":"x",{server}}}']


@pytest.mark.parametrize("odd", ODD)
def test_a_request_is_found_by_an_equal_one(odd: str) -> None:
    """Ours (DESIGN 3; DESIGN 4, "Key"): by the value, as a parser has it."""
    request = f'{{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{{"name":"a","arguments":{{"v":{odd}}}}}}}'
    machine = playback(recorded(f"- client: '{request % 1}'\n< {{id: 1, result: found}}"))
    assert texts(machine.receive((request % 5).encode())) == ['{"jsonrpc":"2.0","id":5,"result":"found"}']
    assert machine.report.misses == []


@pytest.mark.parametrize(
    ("one", "other"), [(DIGITS, DIGITS[:-1] + "8"), (r'"\ud800"', r'"\ud801"'), ('{"a":1,"a":2}', '{"a":1}')]
)
def test_a_request_is_not_found_by_another_one(one: str, other: str) -> None:
    """Ours (DESIGN 4, "Key"): 5,000 digits are compared to the last."""
    request = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"v":%s}}}'
    machine = playback(recorded(f"- client: '{request % one}'\n< {{id: 1, result: found}}"))
    machine.receive((request % other).encode())
    assert [miss.kind for miss in machine.report.misses] == ["near miss"]


@pytest.mark.parametrize("odd", ODD)
def test_progress_a_question_and_its_cancel_carry_what_is_live(odd: str) -> None:
    """Ours (DESIGN 3): tokens and ids are replaced in the text; a question that is asked twice gets a fresh id."""
    progress = f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"odd":{odd},"progressToken":%s}}}}'
    question = f'{{"odd":{odd},"id":%s,"method":"sampling/createMessage","jsonrpc":"2.0"}}'
    cancel = f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":%s,"odd":{odd}}}}}'
    machine = playback(
        recorded(
            f"""
    > {{id: 1, method: resources/read, params: {{uri: "a:1", _meta: {{progressToken: 1}}}}}}
    - server: '{progress % 1}'
    - server: '{question % 3}'
    - server: '{cancel % 3}'
    < {{id: 1, result: {{}}}}
    """
        )
    )
    read = '{"jsonrpc":"2.0","id":%s,"method":"resources/read","params":{"uri":"a:1","_meta":{"progressToken":"t"}}}'
    sent = [texts(machine.receive((read % number).encode()))[:3] for number in (5, 6)]
    assert sent == [[progress % '"t"', question % number, cancel % number] for number in (3, 4)]


@pytest.mark.parametrize("odd", ODD)
def test_a_notification_goes_out_to_the_letter(odd: str) -> None:
    """Ours (DESIGN 3)."""
    log = f'{{"jsonrpc" : "2.0","method":"notifications/message","params":{{"id":1,"data":{odd}}}}}'
    machine = playback(recorded(f"> {{method: notifications/initialized}}\n- server: '{log}'"))
    assert texts(machine.receive(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')) == [log]


@pytest.mark.parametrize("odd", ODD)
def test_placeholders_in_it_are_filled(odd: str) -> None:
    """Ours (DESIGN 3, "Placeholders are variables")."""
    request = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"key":"%s"}}}'
    answer = f'{{"jsonrpc":"2.0","id":1,"result":{{"odd":{odd},"key":"%s"}}}}'
    machine = playback(recorded(f"- client: '{request % '~secret.key.1~'}'\n- server: '{answer % '~secret.key.1~'}'"))
    assert texts(machine.receive((request % "k").encode())) == [answer % "k"]


def test_an_answer_of_the_client_may_be_one() -> None:
    """Ours (DESIGN 3): it is awaited, and compared, like any other."""
    asked = "> {id: 1, method: tools/call, params: {name: a}}\n< {id: 0, method: roots/list}\n"
    cassette = recorded(
        HANDSHAKE + asked + '- client: \'{"jsonrpc":"2.0","id":0,"result":1e400}\'\n< {id: 1, result: done}'
    )
    machine = dialogue(
        cassette,
        HANDSHAKE + asked + "> raw: " + '{"jsonrpc":"2.0","id":0,"result":1e400}' + "\n< {id: 1, result: done}",
    )
    assert machine.report.different_answers == []


def test_a_batch_may_be_one() -> None:
    """Ours (DESIGN 3): its members are messages of their own."""
    machine = playback(
        recorded(
            """
    - client: '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"v":1e400}}},
        {"jsonrpc":"2.0","id":2,"method":"resources/read"}]'
    - server: '[{"jsonrpc":"2.0","id":2,"result":-0},{"jsonrpc":"2.0","id":1,"result":"\\ud800"}]'
    """.replace("\n        ", " ")
        )
    )
    call = b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"a","arguments":{"v":1e400}}}'
    assert texts(machine.receive(call)) == [r'{"jsonrpc":"2.0","id":8,"result":"\ud800"}']
    assert texts(machine.receive(b'{"jsonrpc":"2.0","id":9,"method":"resources/read"}')) == [
        '{"jsonrpc":"2.0","id":9,"result":-0}'
    ]


@pytest.mark.parametrize("token", [DIGITS, "7"])
def test_a_token_comes_back_as_the_number_that_it_was(token: str) -> None:
    """Ours (DESIGN 3): one beyond what Python reads as a number came back as a text, which is another token."""
    machine = playback(
        recorded("""
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: 1}}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 5}}
    < {id: 1, result: {}}
    """)
    )
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":%s}}}'
    progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":5}}'
    assert texts(machine.receive((call % token).encode()))[0] == progress % token
