"""Broken cassettes, each with the name of what is wrong: the golden text says what people read of each."""

from __future__ import annotations

from typing import Final

_HEAD: Final = "version: 1\nsessions:\n- entries:\n"


def entry(*lines: str) -> bytes:
    """A cassette with one entry of these lines."""
    return (_HEAD + "  - " + "\n    ".join(lines) + "\n").encode()


def file(*lines: str) -> bytes:
    """A cassette of these lines."""
    return "".join(f"{line}\n" for line in lines).encode()


REFUSALS: Final[dict[str, bytes]] = {
    # the file
    "an empty file": b"",
    "a file of comments": b"# nothing yet\n",
    "a list": b"- entries: []\n",
    "a word": b"cassette\n",
    "two documents": b"version: 1\nsessions: []\n---\nversion: 1\n",
    "UTF-16": "version: 1\n".encode("utf-16"),
    "Latin-1": "version: 1\nrecorded_with: caf\xe9\n".encode("latin-1"),
    "a control character": b"version: 1\nrecorded_with: \x07\n",
    "a tab for indentation": file("version: 1", "sessions:", "- entries:", "\t- client: {method: ping}"),
    "no version": b"sessions: []\n",
    "version 99": b"version: 99\ntracks: []\n",
    "a version in quotes": b'version: "1"\nsessions: []\n',
    "no sessions": b"version: 1\n",
    "an unknown key of the file": b"version: 1\nsesions: []\n",
    "sessions that are no list": b"version: 1\nsessions: {entries: []}\n",
    "rules that are no list": file("version: 1", "match: /a", "sessions: []"),
    "a key that is nothing like ours": file("version: 1", "sessions: []", "colour: blue"),
    "a rule that is misspelt": file("version: 1", "match:", "- method: tools/call", "  ignroe: [/a]", "sessions: []"),
    "a rule that is to come": file("version: 1", "match:", "- {method: tools/call, regex: {/a: b}}", "sessions: []"),
    # YAML
    "torn in a text": b'version: 1\nsessions:\n- entries:\n  - client: {method: "pi',
    "torn in a key": b"version: 1\nsessions:\n- entries:\n  - client:\n      id: 1\n      meth",
    "torn in a message": b"version: 1\nsessions:\n- entries:\n  - client:\n      id: 1",
    "a colon in a text": entry("stderr: Note: this"),
    "a text that begins oddly": entry("stderr: @a"),
    "a text that begins with a dash": entry("stderr: - a"),
    "a text that begins with a star": entry("stderr: *"),
    "a brace that is not closed": entry("client: {id: 1, method: ping", "label: a"),
    "a backslash in double quotes": entry(r'stderr: "C:\dir"'),
    "a quote too few": entry("stderr: 'it's'"),
    "a quote that is not closed": entry('stderr: "a', "label: b"),
    "a key without its colon": entry("client:", "  id: 1", "  method", "  params: {}"),
    "a block on the line of its key": entry("stderr: | a"),
    "a line too far to the left": entry("client:", "  id: 1", " method: ping"),
    "a tag": entry("client: !!python/object/apply:os.system [ls]"),
    "a tag of somebody's own": entry("client: {method: !mine ping}"),
    "a key that stands twice": entry("client: {id: 1, method: ping}", "label: a", "label: b"),
    "a key that stands twice in a message": entry("server:", "  id: 1", "  result: {}", "  result: {a: 1}"),
    "a key that is a list": entry("client: {method: ping, params: {[1, 2]: 3}}"),
    "an empty key": entry("client: {method: ping, params: {? : 3}}"),
    "an alias of nothing": entry("client: *hello"),
    "an alias within its own anchor": entry("client: {method: ping, params: &p {a: [*p]}}"),
    "deep nesting": entry(f"client: {'[' * 300}{']' * 300}"),
    "very deep nesting": entry(f"client: {'[' * 100_000}"),
    "a merge key": entry("client: {method: ping, params: &p {a: 1}}", "label: a", "match: {<<: *p}"),
    "a merge key in a message": file(
        "version: 1", "sessions:", "- entries:", "  - client: &c {id: 1, method: ping}", "  - client: {<<: *c, id: 2}"
    ),
    "a number too large": entry("client: {method: ping, params: {n: 1e400}}"),
    # entries
    "a session without entries": file("version: 1", "sessions:", "- server: a"),
    "an unknown key of a session": file("version: 1", "sessions:", "- server: a", "  comand: [b]", "  entries: []"),
    "a command in one string": file("version: 1", "sessions:", "- command: npx server", "  entries: []"),
    "an answer beside the entries": file(
        "version: 1", "sessions:", "- entries:", "  - client: {method: ping}", "  server: {result: {}}"
    ),
    "a command with a number": file("version: 1", "sessions:", "- command: [serve, 80]", "  entries: []"),
    "an unknown transport": file("version: 1", "sessions:", "- transport: pigeon", "  entries: []"),
    "env in one list": file("version: 1", "sessions:", "- env: [A=1]", "  entries: []"),
    "a value of env that is true": file("version: 1", "sessions:", "- env: {A: true}", "  entries: []"),
    "timing in words": file("version: 1", "sessions:", "- entries: []", "  timing: [soon]"),
    "an entry that is a word": entry("ping"),
    "an entry of nothing": entry("{}"),
    "an unknown key of an entry": entry("cleint: {method: ping}"),
    "an entry without its indentation": file("version: 1", "sessions:", "- entries:", "- client: {method: ping}"),
    "a dash without its blank": file("version: 1", "sessions:", "- entries:", "  -client: {method: ping}"),
    "a colon without its blank": entry("client: {method:ping}"),
    "another colon without its blank": entry("client:{method: ping}"),
    "a key that is to come": entry("client: {method: ping}", "requires: {cart: full}"),
    "no message": entry("client: {methd: ping}"),
    "a method that is a number": entry("client: {id: 1, method: 7}"),
    "another protocol": entry('client: {jsonrpc: "1.0", id: 1, method: ping}'),
    "a string that is no JSON": entry("client: ping"),
    "a string that is no message": entry("server: '[1, 2]'"),
    "an empty batch": entry("client: []"),
    "a batch within a batch": entry("client: [[{id: 1, method: ping}]]"),
    "client and raw": entry("client: {method: ping}", "raw: noise"),
    "three things in one entry": entry("client: {id: 1, method: ping}", "server: {id: 1, result: {}}", "exit: 0"),
    "the short form with an id": entry("client: {id: 1, method: ping}", "server: {result: {}}"),
    "the short form without an answer": entry("client: {method: ping}", "server: {method: ping}"),
    "the short form of an answer": entry("client: {result: {}}", "server: {result: {}}"),
    "the short form of a batch": entry("client: [{method: ping}]", "server: {result: {}}"),
    "times of a server message": entry("server: {method: notifications/message}", "times: 2"),
    "a label of stderr": entry("stderr: a", "label: b"),
    "times: 0": entry("client: {id: 1, method: ping}", "times: 0"),
    "times: twice": entry("client: {id: 1, method: ping}", "times: twice"),
    "a negative delay": entry("client: {id: 1, method: ping}", "delay: -1"),
    "a delay of thirty million years": entry("client: {id: 1, method: ping}", "delay: 1000000000000000000"),
    "a time that no clock tells": file("version: 1", "sessions:", "- timing: [1000000000000000000]", "  entries: []"),
    "optional: yes": entry("client: {id: 1, method: ping}", "optional: yes"),
    "a label that is empty": entry("client: {id: 1, method: ping}", 'label: ""'),
    "in: null": entry("server: {method: notifications/message}", "in: null"),
    "a pointer without a slash": entry("client: {id: 1, method: ping}", "match:", "  ignore: [a/b]"),
    "a pointer with a bare tilde": entry("client: {id: 1, method: ping}", "match: {ignore: [/a~b]}"),
    "a matcher that is to come": entry("client: {id: 1, method: ping}", "match:", "  /arguments/q: {regex: a}"),
    "match in one word": entry("client: {id: 1, method: ping}", "match: /a"),
    "exit: killed": entry("exit: killed"),
    "eof: both": entry("eof: both"),
    "stderr: true": entry("stderr: true"),
    "base64 that is none": entry("raw: {base64: '#'}"),
    "raw of something else": entry("raw: {hex: ff}"),
    "from: nobody": entry("raw: a", "from: nobody"),
    # HTTP
    "a norm in a word": file("version: 1", "sessions:", "- http: json", "  entries: []"),
    "an unknown key of the norm": file("version: 1", "sessions:", "- http: {answer: json}", "  entries: []"),
    "a norm that is no status": file("version: 1", "sessions:", "- http: {accepted: 7}", "  entries: []"),
    "http in a word": entry("http: 405"),
    "http of nothing": entry("http: {}"),
    "http that goes beside a message": entry("http: {status: 400}"),
    "http that goes beside a message of the server": entry("client: {id: 1, method: ping}", "http: {status: 400}"),
    "http of its own beside a message": entry("server: {id: 1, result: {}}", "http: {get: 405}"),
    "http of its own beside the short form": entry(
        "client: {method: ping}", "server: {result: {}}", "http: {get: 405}"
    ),
    "two things in one http": entry("http: {get: 405, delete: 200}"),
    "a stream that resumes in a DELETE": entry("http: {delete: 200, resumes: 2}"),
    "a body without its request": entry("http: {body: a}"),
    "an unknown key of http": entry("http:", "  get: 405", "  pth: /a"),
    "a verb that is unknown": entry("http: {trace: 405}"),
    "get: open": entry("http: {get: open}"),
    "post: 42": entry("http: {post: 42}"),
    "an interim status": entry("http: {post: 103}"),
    "a body where there is none": entry("http: {post: 304, body: hello}"),
    "a message where there is no body": entry("server: {id: 1, result: {}}", "http: {status: 204}"),
    "a header with a line's end": entry(r'http: {post: 401, headers: {location: "x\r\nset-cookie: y"}}'),
    "a header that begins with a blank": entry("http: {post: 401, headers: {location: ' x'}}"),
    "a header whose name has a blank": entry("http: {post: 401, headers: {a b: c}}"),
    "a header that follows from the body": entry("http: {post: 401, headers: {content-length: '5'}, body: x}"),
    "a media type with a line's end": entry(r'http: {post: 500, type: "a\nb", body: x}'),
    "a client that primes": entry("http: {priming: client}"),
    "a header in upper case": entry("http: {get: 405, headers: {Allow: POST}}"),
    "a body that is no base64": entry("http: {post: 502, base64: '#'}"),
    "times of http": entry("http: {get: 405}", "times: 2"),
}
