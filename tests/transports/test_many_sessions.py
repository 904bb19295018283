"""Many sessions of one recorder: what they cost is counted, and none is lost on the way into the cassette."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from mcpmock.cassette.load import load_file
from mcpmock.cassette.salvaging import parts_at, salvage
from mcpmock.transports.proxy.recorder import most_part_files
from mcpmock.transports.proxy.recording_mind import BYTES_TO_REST_FOR, JOIN_EVERY, LINGER
from mcpmock.wire.message import MISSING
from tests.program import ENVIRONMENT, SECONDS, module
from tests.transports.keeping import Recorder, answer, asked, files_beside, request
from tests.transports.many import MANY, Many

ROOT = Path(__file__).parents[2]


def names(numbers: range) -> list[list[str]]:
    """What sessions of these numbers have asked."""
    return [[f"tool-{number}"] for number in numbers]


@pytest.mark.parametrize(("most", "files"), [(8, 4), (64, 16), (1024, 256)])
def test_where_few_files_may_be_open_most_of_them_are_for_connections(most: int, files: int) -> None:
    """Ours: with 64 of them and as many sessions nothing was recorded."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    try:
        assert most_part_files() == files
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_what_is_open_at_the_end_is_put_in_at_once(path: Path) -> None:
    """Ours (DESIGN 3, Crash-safe): one pass, however many sessions; in the order of starting."""
    many = Many(path)
    many.live(range(40))
    many.mind.rest(many.now)
    assert many.joiner.joins == 0
    assert not path.exists()
    assert len(files_beside(path)) == 40
    many.mind.conclude(many.now)
    assert many.joiner.joins == 1
    assert asked(path) == names(range(40))
    assert files_beside(path) == []
    assert many.said == []


def test_sessions_that_are_over_wait_for_each_other(path: Path) -> None:
    """Ours: the first is in the cassette at once, those after it together; it is not written again for one that stays
    as it is."""
    many = Many(path)
    many.live(range(1), ends=True)
    many.mind.rest(many.now)
    assert many.joiner.joins == 1
    assert asked(path) == names(range(1))
    for number in range(1, 30):
        many.live(range(number, number + 1), ends=True)
        many.mind.rest(many.now)
    assert many.joiner.joins == 1
    many.passes(JOIN_EVERY)
    assert many.joiner.joins == 2
    assert asked(path) == names(range(30))
    many.passes(LINGER + JOIN_EVERY)
    assert many.joiner.joins == 2
    assert files_beside(path) == []


def test_ht_13_a_call_that_outlives_its_session_stays_in_it(path: Path) -> None:
    """HT-13, HT-04: the client has ended the session, and the server still works; long after that the answer comes."""
    many = Many(path)
    many.asks(0, "tool-0", 1)
    stream = many.streams(0, "slow", 2)
    many.ends(0)
    many.passes(2 * LINGER)
    many.goes_on(stream, {"method": "notifications/message", "params": {"level": "info", "data": "x"}})
    many.goes_on(stream, {"id": 2, "result": {}})
    many.mind.conclude(many.now)
    assert asked(path) == [["tool-0", "slow"]]
    assert load_file(str(path)).sessions[0].entries[-1].owner is MISSING, "the answer to a request of that session"


def test_ht_04_a_session_that_is_answered_again_was_not_lost(path: Path) -> None:
    """HT-04, HT-02: some servers say 404 of a notification alone."""
    many = Many(path)
    many.asks(0, "tool-0", 1)
    many.is_refused(0, 404)
    many.asks(0, "tool-1", 2)
    many.passes(2 * LINGER)
    many.asks(0, "tool-2", 3)
    many.mind.conclude(many.now)
    assert asked(path) == [["tool-0", "tool-1", "tool-2"]]


def test_a_session_without_an_answer_is_told_from_a_recording_without_one(path: Path) -> None:
    """Ours: the others are in the cassette, so that is not as it was."""
    many = Many(path)
    many.live(range(1))
    many.streams(1, "slow", 1)
    many.passes(JOIN_EVERY)
    many.mind.conclude(many.now)
    assert asked(path) == names(range(1))
    (part,) = files_beside(path)
    assert many.said == [
        f"no answer was seen, so this session is not in {path}; "
        f"what was seen can be had by: mcpmock salvage {path.parent / part} -o OTHER.yaml"
    ]


IN_VAIN = ["(in vain)"]


def test_a_handshake_in_vain_is_kept_where_another_session_is(path: Path) -> None:
    """Ours: the clients of a replay come in the same order, and each is to meet the session that was its own."""
    many = Many(path)
    many.waits_in_vain()
    many.live(range(1), ends=True)
    many.passes(LINGER + JOIN_EVERY)
    assert asked(path) == names(range(1))
    many.waits_in_vain()
    many.live(range(1, 2))
    many.mind.conclude(many.now)
    assert asked(path) == [IN_VAIN, *names(range(1)), IN_VAIN, *names(range(1, 2))]
    assert (files_beside(path), many.said) == ([], [])


def test_it_is_so_where_the_last_of_the_others_has_left_long_ago(path: Path) -> None:
    """Ours: the same."""
    many = Many(path)
    many.live(range(1), ends=True)
    many.passes(LINGER + JOIN_EVERY)
    many.waits_in_vain()
    many.mind.conclude(many.now)
    assert asked(path) == [*names(range(1)), IN_VAIN]
    assert (files_beside(path), many.said) == ([], [])


def test_one_that_http_refused_is_not(path: Path) -> None:
    """Ours: a replay asks for no token, so none of its clients would meet it."""
    many = Many(path)
    many.live(range(1), ends=True)
    many.waits_in_vain(status=401)
    many.mind.conclude(many.now)
    assert asked(path) == names(range(1))


def test_a_recording_of_nothing_but_handshakes_in_vain_replaces_no_good_one(path: Path) -> None:
    """DESIGN 3: a good old cassette is never harmed by a bad run; what was seen can be salvaged."""
    Recorder(path).sees(request("good"), answer()).finishes(is_last=True)
    good = path.read_bytes()
    many = Many(path, "another")
    many.waits_in_vain()
    many.passes(LINGER + JOIN_EVERY)
    many.waits_in_vain()
    many.mind.conclude(many.now)
    assert path.read_bytes() == good
    assert len(files_beside(path)) == 2
    assert [text.partition(",")[0] for text in many.said] == ["no answer was seen"] * 2


@pytest.mark.parametrize(("status", "kept"), [(400, [["(refused)"]]), (401, None)])
def test_refusals_count_where_nothing_else_was_said(path: Path, status: int, kept: list[list[str]] | None) -> None:
    """DESIGN 3: of a server with a handshake, asked in 2026-07-28, nothing was recorded. A token is another matter."""
    many = Many(path)
    many.is_refused_without_a_handshake(status)
    many.passes(LINGER + JOIN_EVERY)
    assert not path.exists()
    many.mind.conclude(many.now)
    assert (asked(path) if path.exists() else None) == kept


def test_one_that_began_earlier_and_ends_later_keeps_its_place(path: Path) -> None:
    """Ours (DESIGN 3): sessions stand in the order of starting."""
    many = Many(path)
    many.live(range(1))
    many.live(range(1, 2), ends=True)
    many.mind.rest(many.now)
    assert asked(path) == names(range(1, 2))
    many.mind.conclude(many.now)
    assert asked(path) == names(range(2))


def test_the_larger_the_cassette_the_longer_sessions_wait(path: Path) -> None:
    """Ours: each time all of it is copied, so a large one is written less often."""
    many = Many(path)
    many.live(range(1), ends=True, text="x" * 2**23)
    many.mind.rest(many.now)
    assert many.joiner.size > 2**23
    many.live(range(1, 2), ends=True)
    many.passes(JOIN_EVERY)
    assert many.joiner.joins == 1
    many.passes(many.joiner.size // BYTES_TO_REST_FOR)
    assert many.joiner.joins == 2


def test_an_earlier_run_is_replaced_and_this_run_added_to(path: Path) -> None:
    """Ours (DESIGN 3, One cassette, several processes)."""
    Recorder(path, "old").asks("old").ends()
    for first in (0, 3):
        many = Many(path)
        many.live(range(first, first + 3), ends=True)
        many.mind.conclude(many.now)
    assert asked(path) == names(range(6))


def test_few_part_files_are_open_at_a_time(path: Path) -> None:
    """Ours: sessions that idle do not use up the descriptors; they go on where they were."""
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    many = Many(path, most_open=4)
    many.live(range(20))
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before + 4
    many.asks(0, "later", 2)
    many.mind.conclude(many.now)
    assert asked(path) == [["tool-0", "later"], *names(range(1, 20))]
    assert files_beside(path) == []


def test_what_another_recorder_of_the_run_took_meanwhile_is_there_once(path: Path) -> None:
    """Ours: a part file that is not open is not locked; its session goes on in another one."""
    many = Many(path, most_open=1)
    many.live(range(3))
    Recorder(path).asks("other").ends()
    assert asked(path) == [*names(range(2)), ["other"]]
    many.asks(0, "later", 2)
    many.mind.conclude(many.now)
    assert asked(path) == [*names(range(2)), ["tool-2"], ["other"], ["later"]]
    assert files_beside(path) == []


def test_without_a_private_folder_all_sessions_are_in_the_cassette(path: Path) -> None:
    """Ours: nothing can be remembered, so all are put in at the end."""
    folder = Path(os.environ["TMPDIR"]) / f"mcpmock-{os.getuid()}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    many = Many(path)
    many.live(range(3), ends=True)
    many.passes(LINGER + JOIN_EVERY)
    many.live(range(3, 5))
    many.mind.conclude(many.now)
    assert asked(path) == names(range(5))
    assert files_beside(path) == []


def test_to_begin_a_session_costs_the_same_however_many_there_are(path: Path) -> None:
    """Ours: what is remembered of the cassette is not written again for each of them, but added to."""
    many = Many(path)
    many.live(range(40))
    (notes,) = Path(os.environ["TMPDIR"]).iterdir()
    (begun,) = notes.glob("*.begun")
    assert begun.read_text().count("part-") == 40
    assert not list(notes.glob("*.json"))
    many.mind.conclude(many.now)
    assert len(list(notes.glob("*.json"))) == 1
    assert not begun.exists()


def test_pr_07_all_part_files_are_named_where_recording_goes_on_no_more(path: Path) -> None:
    """PR-07: of dozens the first was named, and the others were left."""
    many = Many(path)
    many.live(range(1))
    assert parts_at(many.mind.kept_in()) == parts_at(str(path))
    many.live(range(1, 3))
    assert many.mind.kept_in() == str(path)
    assert len(parts_at(str(path))) == 3


@pytest.mark.parametrize("way", ["salvage", "next", "same name"])
@pytest.mark.parametrize("step", ["over", "joining", "joined", "open"])
def test_pr_07_a_proxy_that_is_killed_loses_none_of_them(path: Path, step: str, way: str) -> None:
    """PR-07: those that wait for the cassette are in their part files; hundreds are taken in, in the order of
    starting."""
    done = subprocess.run(
        [*module("tests.transports.many"), path, step],
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT, "TMPDIR": os.environ["TMPDIR"]},
        timeout=SECONDS,
    )
    assert done.returncode == -signal.SIGKILL
    assert len(files_beside(path)) >= MANY - 1
    if way == "salvage":
        salvage(parts_at(str(path)), appends=True)
        assert asked(path) == names(range(MANY))
    elif way == "next":
        Recorder(path).asks("next").ends()
        assert asked(path) == [*names(range(MANY)), ["next"]]
    else:
        many = Many(path)
        many.live(range(MANY, MANY + 2), ends=True)
        many.mind.conclude(many.now)
        assert asked(path) == names(range(MANY + 2))
    assert files_beside(path) == []
