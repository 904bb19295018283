"""Whatever is seen on the pipes of a server, its file is read alike by every reader, and written again as it was."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Session
from mcpmock.cassette.writer import dump
from mcpmock.wire.message import Object, dumps
from tests.cassette.values import json_values, texts
from tests.property.talking import read
from tests.session.seeing import recorded

bodies: st.SearchStrategy[Object] = st.one_of(
    st.builds(lambda i, v: {"id": i, "method": "x", "params": {"v": v}}, st.integers(), json_values),
    st.builds(lambda i, v: {"id": i, "result": v}, texts, json_values),
    st.builds(lambda text: {"method": text, "params": {text: text}}, texts),
)
lines = st.one_of(
    bodies.map(lambda body: dumps({"jsonrpc": "2.0", **body}).encode()),
    st.lists(bodies, min_size=1, max_size=3).map(lambda several: dumps([*several]).encode()),
    texts.map(lambda text: text.encode(errors="surrogatepass")),
    st.binary(max_size=20),
)
seen = st.lists(st.tuples(st.sampled_from(["client", "server", "stderr"]), lines), max_size=6)


@settings(max_examples=100)
@given(seen, st.sampled_from([0, 1, "SIGKILL"]))
def test_every_reader_reads_the_same_of_what_a_recorder_wrote(said: list[tuple[str, bytes]], status: Any) -> None:
    """Ours (issue 4, 7): messages, batches, exact texts, noise, bytes, stderr; what was read is written as it was."""
    entries = recorded(*((side, line + b"\n") for side, line in said), status=status)
    text = dump(Cassette((Session(tuple(entries)),)))
    assert dump(read(text)) == text
