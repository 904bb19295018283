"""The examples in `cassettes/`: each replays itself, and each shows the feature that its first line promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcpmock.cassette.load import load_file
from mcpmock.cassette.model import Cassette
from mcpmock.session.playing.actions import Send
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import MemoryLedger
from mcpmock.session.playing.live import Options
from mcpmock.session.showing.selfcheck import selfcheck
from mcpmock.session.story import Story
from tests.conftest import ROOT
from tests.session.dialogue import dialogue, playback

FOLDER = ROOT / "cassettes"
EXAMPLES = sorted(FOLDER.glob("*.yaml"))


def example(name: str) -> Cassette:
    """An example, loaded."""
    return load_file(str(FOLDER / f"{name}.yaml"))


def stage(name: str, server: str = "") -> Library:
    """An example, ready to be played."""
    return Library(Story(example(name), server=server))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_replays_itself(path: Path) -> None:
    """Ours (DESIGN 5): what the client sent is sent again, what it got comes again; no miss, nothing unplayed."""
    assert selfcheck(load_file(str(path))) == []


def test_the_readme_names_every_example_and_no_other() -> None:
    """Ours (DESIGN 5): the list is complete."""
    listed = re.findall(r"^\| \[(.+?)\]\((.+?)\) \| .+ \|$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert all(text == target for text, target in listed)
    assert sorted(target for _, target in listed) == [path.name for path in EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_first_what_it_shows(path: Path) -> None:
    """Ours (DESIGN 5): each is one feature."""
    assert path.read_text().startswith("# ")


def said(text: str) -> str:
    """The result of a tool that says this."""
    return f'{{content: [{{type: text, text: "{text}"}}]}}'


def call(live_id: int, name: str, arguments: str = "{}") -> str:
    """A line of a talk."""
    return f"> {{id: {live_id}, method: tools/call, params: {{name: {name}, arguments: {arguments}}}}}\n"


def test_anchors() -> None:
    """Ours (DESIGN 3): an alias is the value once more."""
    talk = (
        f"{call(1, 'stock', '{fruit: pears, unit: kg}')}< {{id: 1, result: {said('plenty')}}}\n"
        f"{call(2, 'order', '{unit: kg, fruit: apples}')}< {{id: 2, result: {said('ordered')}}}\n"
        f"{call(3, 'stock', '{fruit: apples, unit: kg}')}< {{id: 3, result: {said('plenty')}}}"
    )
    dialogue(stage("anchors"), talk)


def shake(version: str, name: str, server_version: str, capabilities: str = "{tools: {}}") -> str:
    """The handshake of an example, under another id."""
    asked = f'{{protocolVersion: "{version}", capabilities: {{sampling: {{}}}}}}'
    server = f"{{name: {name}, version: {server_version}}}"
    result = f'{{protocolVersion: "{version}", capabilities: {capabilities}, serverInfo: {server}}}'
    return (
        f"> {{id: h, method: initialize, params: {asked}}}\n< {{id: h, result: {result}}}\n"
        "> {method: notifications/initialized}\n"
    )


def test_batch() -> None:
    """Case RP-06: an array for an array, whatever was batched with what."""
    one, other = call(8, "add", "{a: 3, b: 4}")[2:].strip(), call(9, "add", "{a: 1, b: 2}")[2:].strip()
    dialogue(
        stage("batch"),
        shake("2025-03-26", "calculator", "1.0.0")
        + f"> [{one}, {{id: p, method: ping}}]\n< [{{id: 8, result: {said('7')}}}, {{id: p, result: {{}}}}]\n"
        + f"> {other}\n< {{id: 9, result: {said('3')}}}",
    )


def test_belongs_to() -> None:
    """Ours (DESIGN 3, `in:`): each call gets the message that names it."""
    log = "< {method: notifications/message, params: {level: info, data: crunching %s}}\n"
    dialogue(
        stage("belongs_to"),
        shake("2025-11-25", "worker", "1.0.0", "{logging: {}, tools: {}}")
        + (call(5, "crunch", "{n: 2}") + log % 2 + f"< {{id: 5, result: {said('4')}}}\n")
        + (call(6, "crunch", "{n: 1}") + log % 1 + f"< {{id: 6, result: {said('1')}}}"),
    )


def test_cancelled() -> None:
    """Ours (DESIGN 4, "A cancel is a step"): it gets its progress, and no answer."""
    dialogue(
        stage("cancelled"),
        shake("2025-11-25", "worker", "1.0.0")
        + """
    > {id: 7, method: tools/call, params: {name: sleep, arguments: {hours: 8}, _meta: {progressToken: 0}}}
    < {method: notifications/progress, params: {progressToken: 0, progress: 1, total: 8}}
    > {method: notifications/cancelled, params: {requestId: 7}}
    > {id: 8, method: ping}
    < {id: 8, result: {}}
    > eof
    """,
    )


def test_exact_text() -> None:
    """Ours (DESIGN 3): found by an equal request, and sent to the letter under the live id."""
    machine = playback(stage("exact_text"))
    asked = '{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"%s","arguments":%s}}'
    texts = []
    for name, arguments in (("twice", "{}"), ("limits", "{}"), ("cut", r'{"text":"x\ud800y"}')):
        (action,) = machine.receive((asked % (name, name, arguments)).encode())
        assert isinstance(action, Send)
        texts.append(action.text)
    assert texts == [
        '{"jsonrpc":"2.0","id":"twice","result":{"content":[{"type":"text","text":"a"}],"_meta":{"k":1,"k":2}}}',
        '{"jsonrpc":"2.0","id":"limits","result":{"content":[],"structuredContent":{"most":1e400,"least":-0}}}',
        r'{"jsonrpc":"2.0","id":"cut","result":{"content":[{"type":"text","text":"x\ud800"}]}}',
    ]


def test_handshake() -> None:
    """Ours (DESIGN 4): `--noise` plays stderr too; a list may be asked for again; an orderly end is not played."""
    machine = playback(stage("handshake"), Options(noise=True))
    heard = machine.receive(b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}')
    assert [type(action).__name__ for action in heard] == ["WriteStderr", "Send"]
    for live_id in (8, 9):
        (action,) = machine.receive(b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}' % live_id)
        assert isinstance(action, Send)
        assert action.text.startswith(f'{{"jsonrpc":"2.0","id":{live_id},"result":{{"tools":[{{"name":"echo"')
    assert machine.end_of_input() == []


def test_ignore() -> None:
    """Ours (DESIGN 3, `match`): for a tool in the whole file, and for one entry."""
    filters = "filters: [{id: %s, field: year, is: %s}]"
    found = f"< {{id: 1, result: {said('3 invoices')}}}\n"
    search = f"{{query: invoices, at: now, {filters % ('x', 2025)}}}"
    other = f"{{query: invoices, at: now, {filters % ('x', 2024)}}}"
    dialogue(
        stage("ignore"),
        (call(1, "search", other) + "< miss near miss 1\n" + call(1, "search", search) + found)
        + (call(2, "store", "{file: b.txt, request: x}") + "< miss near miss 2\n")
        + (call(3, "store", "{file: a.txt}") + f"< {{id: 3, result: {said('stored')}}}"),
    )


def test_noise_and_end() -> None:
    """Ours (DESIGN 4, "The end"): the server dies where it died; the noise comes where it is wanted."""
    begin = """
    > {id: 1, method: initialize, params: {protocolVersion: "2025-06-18"}}
    %s
    < {id: 1, result: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: SERVER}}
    > {method: notifications/initialized}
    """.replace("SERVER", '{name: flaky, version: "0.3"}')
    work = "> {id: 2, method: tools/call, params: {name: work}}\n"
    dialogue(stage("noise_and_end"), begin % "" + "> raw: {not json\n" + work + "< end 1")
    machine = playback(stage("noise_and_end"), Options(noise=True))
    heard = [
        *machine.receive(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}'),
        *machine.receive(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'),
        *machine.receive(b"{not json"),
        *machine.receive(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"work"}}'),
    ]
    assert [type(action).__name__ for action in heard] == [
        *("SendNoise", "Send", "SendNoise"),
        *("WriteStderr", "WriteStderr", "End"),
    ]
    assert heard[2] == (b"caf\xe9",)


def test_placeholders() -> None:
    """Ours (DESIGN 3): any text, the same one from then on, filled into what comes back."""
    folder, path = "/home/ann/app", "/home/ann/app/notes.txt"
    read = "> {id: 3, method: resources/read, params: {uri: 'file://%s/notes.txt'}}\n"
    contents = f"{{contents: [{{uri: 'file://{path}', mimeType: text/plain, text: hi}}]}}"
    dialogue(
        stage("placeholders"),
        (call(1, "login", "{token: nobody's}") + f"< {{id: 1, result: {said('welcome')}}}\n")
        + (call(2, "write", f"{{path: {path}, text: hi}}") + f"< {{id: 2, result: {said('wrote ' + path)}}}\n")
        + (read % "/elsewhere" + "< miss near miss 3\n")
        + (read % folder + f"< {{id: 3, result: {contents}}}"),
    )


def test_progress_and_question() -> None:
    """Ours (DESIGN 4): progress on the live token, a question really asked, whatever the answer to it."""
    dialogue(
        stage("progress_and_question"),
        shake("2025-11-25", "everything", "2.0.0")
        + """
    > {id: 0, method: tools/call, params: {name: ask-the-model, arguments: {prompt: hello}, _meta: {progressToken: t}}}
    < {method: notifications/progress, params: {progressToken: t, progress: 1, total: 2}}
    < {id: 0, method: sampling/createMessage, params: {messages: HELLO, maxTokens: 100}}
    > {id: 0, error: {code: -1, message: nobody is here}}
    < {method: notifications/progress, params: {progressToken: t, progress: 2, total: 2}}
    < {id: 0, result: {content: [{type: text, text: "The model said: hi"}]}}
    """.replace("HELLO", "[{role: user, content: {type: text, text: hello}}]"),
    )


def test_reads_and_writes() -> None:
    """Ours (DESIGN 4, `stateful`): the read after the write tells of it, however often it is asked, and before."""
    before, after = (f"< {{id: 1, result: {said(text)}}}\n" for text in ("nothing to do", "milk"))
    listed, add = call(1, "list"), call(2, "add", "{what: milk}") + f"< {{id: 2, result: {said('added')}}}\n"
    dialogue(
        stage("reads_and_writes"), add + (listed + after) * 2 + call(3, "add", "{what: milk}") + "< miss exhausted 3"
    )
    dialogue(stage("reads_and_writes"), (listed + before) * 2 + add + listed + after)


def test_several_servers() -> None:
    """Case MA-05: each answers for itself; the sessions of one come one after the other, and then anew."""
    weather, ledger = stage("several_servers", "weather"), MemoryLedger()
    for sky in ("snow", "sun", "snow"):
        forecast = call(1, "forecast", "{city: Oslo}") + f"< {{id: 1, result: {said(sky)}}}"
        dialogue(weather, forecast, ledger=ledger)
    notes = stage("several_servers", "notes")
    dialogue(notes, call(1, "add-note", "{text: buy skis}") + f"< {{id: 1, result: {said('added')}}}")


def test_short_form() -> None:
    """Ours (DESIGN 3): with the handshake and the lists that nobody wrote."""
    schema = "{type: object, properties: {a: {}, b: {}}}"
    tools = f"[{{name: add, inputSchema: {schema}}}, {{name: divide, inputSchema: {schema}}}]"
    capabilities = "{tools: {}, resources: {}, prompts: {}}"
    dialogue(
        stage("short_form"),
        shake("2025-06-18", "calculator", '"0"', capabilities)
        + f"""
    > {{id: 1, method: prompts/list}}
    < {{id: 1, result: {{prompts: [{{name: explain, arguments: [{{name: topic}}]}}]}}}}
    > {{id: 2, method: tools/list}}
    < {{id: 2, result: {{tools: {tools}}}}}
    > {{id: 3, method: resources/read, params: {{uri: "memory://last"}}}}
    < {{id: 3, error: {{code: -32002, message: Resource not found, data: {{uri: "memory://last"}}}}}}
    """,
    )


def test_times_optional_delay() -> None:
    """Ours (DESIGN 3): three times in a row, then the next one; never is all right for one; one comes late."""
    polled = call(1, "poll") + f"< {{id: 1, result: {said('%s')}}}\n"
    machine = dialogue(
        stage("times_optional_delay"),
        polled % "pending" * 3
        + polled % "done"
        + call(1, "poll")
        + "< miss exhausted 1\n"
        + call(2, "slow")
        + f".. 0.02\n< {{id: 2, result: {said('at last')}}}",
    )
    assert machine.unplayed() == []
