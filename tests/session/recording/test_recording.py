"""What is seen on the pipes becomes entries, however the bytes were chunked."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump
from mcpmock.session.recording.stdio import Recording
from tests.session.seeing import PING, PONG, Seen, entry, line, recorded, see


def test_messages_are_entries_in_the_order_of_reading() -> None:
    """Ours (DESIGN 3): the cassette is the transcript."""
    seen = [("client", line(PING)), ("server", line({"method": "notifications/x"}) + line(PONG))]
    assert recorded(*seen) == [
        entry("client", PING),
        entry("server", {"method": "notifications/x"}),
        entry("server", PONG),
    ]


def test_a_message_counts_from_the_moment_at_which_its_line_ends() -> None:
    """Ours (DESIGN 3): two lines that overlap are ordered by their ends, which is when a peer can act on them."""
    early, late = line(PING)[:5], line(PING)[5:]
    assert recorded(("client", early), ("server", line(PONG)), ("client", late)) == [
        entry("server", PONG),
        entry("client", PING),
    ]


def test_times_are_milliseconds_and_never_go_back() -> None:
    """Ours (DESIGN 3, timing): two threads read the clock."""
    recording = Recording()
    recording.received("client", line(PING), 5)
    recording.received("server", line(PONG), 3)
    recording.exited(0, 9)
    assert [recorded_entry.at for recorded_entry in recording.take_entries()] == [5, 5, 9]
    assert list(recording.all_times()) == [5, 5, 9]


def test_open_requests_are_those_neither_answered_nor_cancelled() -> None:
    """Ours (DESIGN 5): the ladder waits for answers that the client may still expect."""
    recording = Recording()
    see(recording, [("client", line(PING) + line({"id": 2, "method": "tools/list"}) + line({"id": 3, "method": "x"}))])
    assert recording.open_requests == 3
    see(recording, [("client", line({"method": "notifications/cancelled", "params": {"requestId": 2}}))])
    see(recording, [("server", line(PONG))])
    assert recording.open_requests == 1


def test_an_answer_may_spell_the_number_otherwise() -> None:
    """Ours: 1.0 and 1 are one number, and what answers a request in a cassette has answered it here, too."""
    recording = Recording()
    see(recording, [("client", b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}\n'), ("server", line(PONG))])
    assert recording.open_requests == 0


def test_rp_02_of_two_requests_with_one_id_each_wants_its_answer() -> None:
    """RP-02: first in, first out."""
    recording = Recording()
    see(recording, [("client", line(PING) * 2), ("server", line(PONG))])
    assert recording.open_requests == 1
    see(recording, [("server", line(PONG) * 2)])
    assert recording.open_requests == 0


def test_an_acknowledged_subscription_counts_as_an_answer() -> None:
    """Ours: a client that only listens was told that no answer was seen, and nothing was kept."""
    recording = Recording()
    see(recording, [("client", line({"id": 1, "method": "subscriptions/listen"}))])
    assert recording.answers == 0
    see(recording, [("server", line({"method": "notifications/subscriptions/acknowledged", "params": {}}))])
    assert recording.answers == 1


def test_the_servers_end_is_an_entry_while_the_client_is_there() -> None:
    """Ours (format): `eof: server`, then `exit:`."""
    assert recorded(("client", line(PING)), ("server", b""), status=3) == [
        entry("client", PING),
        Entry("eof", side="server"),
        Entry("exit", status=3),
    ]


def test_the_servers_end_behind_the_clients_is_no_entry() -> None:
    """Ours (format): an orderly end leaves `exit:` alone."""
    assert recorded(("client", line(PING)), ("client", b""), ("server", b""), status=0) == [
        entry("client", PING),
        Entry("exit", status=0),
    ]


def test_the_clients_end_is_an_entry_only_where_server_messages_follow() -> None:
    """Ours (format): `eof: client` stands before the first message behind it, once."""
    seen = [("client", line(PING)), ("client", b""), ("stderr", b"bye\n"), ("server", line(PONG) * 2), ("server", b"")]
    assert recorded(*seen, status="SIGTERM") == [
        entry("client", PING),
        Entry("stderr", text="bye\n"),
        Entry("eof", side="client"),
        entry("server", PONG),
        entry("server", PONG),
        Entry("exit", status="SIGTERM"),
    ]


def test_a_server_that_ends_by_a_signal_of_the_clients_does_not_end_by_itself() -> None:
    """Ours (DESIGN 4, The end): a TERM is an orderly end."""
    recording = Recording()
    see(recording, [("client", line(PING))])
    recording.told_to_end(0)
    assert recorded(("server", b""), status="SIGTERM", recording=recording) == [
        entry("client", PING),
        Entry("exit", status="SIGTERM"),
    ]


def test_a_server_that_outlives_the_signal_can_still_end_by_itself() -> None:
    """Ours: a client that goes on talking has not ended the session."""
    recording = Recording()
    recording.told_to_end(0)
    assert recorded(("client", line(PING)), ("server", b""), recording=recording)[-1] == Entry("eof", side="server")


def test_the_last_line_needs_no_lf() -> None:
    """PROTOCOL 5.18: an unterminated last line may be a message."""
    assert recorded(("server", line(PONG)[:-1]), ("server", b""))[0] == entry("server", PONG)


MESSAGES = st.sampled_from(
    [line(PING), line(PONG), b"noise\n", b"\n", b"\xff\n", line([PING, PONG]), b"{\r\n", b"last"]
)


STDERR = st.sampled_from([b"plain\n", b"\n", b"\x1b[0m\n", b"half", "grün\n".encode(), b"trailing \n", b"\xff\n"])


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("client"), MESSAGES),
        st.tuples(st.just("server"), MESSAGES),
        st.tuples(st.just("stderr"), STDERR),
    ),
    max_size=12,
)


@given(EVENTS, st.randoms(use_true_random=False))
def test_chunking_changes_nothing(events: list[Seen], chance: Any) -> None:
    """Ours (STYLE): any way of cutting what was seen gives the same entries, and the same file."""
    cut: list[Seen] = []
    for source, data in events:
        while data:
            size = chance.randint(1, len(data))
            cut.append((source, data[:size]))
            data = data[size:]
    whole = recorded(*events, status=0)
    assert recorded(*cut, status=0) == whole
    assert dump(Cassette((Session(tuple(whole)),))) == dump(Cassette((Session(tuple(recorded(*cut, status=0))),)))


@given(EVENTS)
def test_what_is_recorded_is_read_back(events: list[Seen]) -> None:
    """Ours (DESIGN 3, Lossless): the writer and the reader agree about every entry that a recorder makes."""
    found = tuple(recorded(*events, status="SIGKILL"))
    (session,) = load(dump(Cassette((Session(found),))).encode()).sessions
    assert [again._replace(line=0, at=None) for again in session.entries] == list(found)


@given(st.lists(st.tuples(st.sampled_from(["client", "server", "stderr"]), st.binary(max_size=40)), max_size=10))
def test_no_bytes_crash_it(events: list[Seen]) -> None:
    """Ours (STYLE): every decoder survives every input."""
    recorded(*events, status=0)
