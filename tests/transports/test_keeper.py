"""Several recorders, several runs, one cassette: what is kept, what is replaced."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from mcpmock.cassette.finishing import Finished, put
from mcpmock.cassette.load import load_file
from mcpmock.cassette.model import Entry, Session
from mcpmock.cassette.runs import remembered
from mcpmock.transports.destination import Destination
from mcpmock.transports.keeper import CassetteKeeper
from tests.transports.keeping import Recorder, answer, asked, files_beside, request


def test_a_session_is_in_the_cassette_when_the_client_has_gone(path: Path) -> None:
    """Ours (DESIGN 3): finished twice; the second time with all that came after."""
    recorder = Recorder(path).asks("a").finishes()
    first = path.read_text()
    assert asked(path) == [["a"]]
    assert "exit" not in first
    assert len(files_beside(path)) == 1
    recorder.ends()
    assert path.read_text() == first.replace("  timing: [0, 0]\n", "  - exit: 0\n  timing: [0, 0, 0]\n")
    assert files_beside(path) == []
    assert recorder.said == []


def test_a_run_replaces_what_an_earlier_one_has_recorded(path: Path) -> None:
    """Ours (DESIGN 3, One cassette, several processes)."""
    Recorder(path, "one").asks("a").ends()
    Recorder(path, "two").asks("b").ends()
    assert asked(path) == [["b"]]


def test_a_run_adds_to_what_it_has_recorded(path: Path) -> None:
    """Ours (DESIGN 3): clients start servers one after another."""
    for name in "abc":
        Recorder(path).asks(name).ends()
    assert asked(path) == [["a"], ["b"], ["c"]]


def test_what_is_recorded_at_once_is_kept_in_the_order_of_starting(path: Path) -> None:
    """Ours (DESIGN 3): probes; whoever ends first."""
    one, two, three = (Recorder(path).sees(request(name)) for name in "abc")
    three.sees(answer()).finishes()
    one.sees(answer()).finishes()
    assert asked(path) == [["a"], ["c"]]
    three.ends()
    two.sees(answer()).ends()
    one.ends()
    assert asked(path) == [["a"], ["b"], ["c"]]
    assert path.read_text().count("exit: 0") == 3


def test_append_keeps_earlier_runs(path: Path) -> None:
    """Ours (issue 2): `--append`."""
    Recorder(path, "one").asks("a").ends()
    Recorder(path, "two", adds=True).asks("b").ends()
    Recorder(path, "two", adds=True).asks("c").ends()
    assert asked(path) == [["a"], ["b"], ["c"]]
    Recorder(path, "one").asks("d").ends()
    assert asked(path) == [["a"], ["b"], ["c"], ["d"]], "run one is still in it, so it adds"
    Recorder(path, "three").asks("e").ends()
    assert asked(path) == [["e"]]


def test_a_late_end_of_an_earlier_run_does_not_come_back(path: Path) -> None:
    """Ours: its server took its time; meanwhile another run has replaced it."""
    late = Recorder(path, "one").asks("a").finishes()
    Recorder(path, "two").asks("b").ends()
    late.ends()
    assert asked(path) == [["b"]]
    assert "a later run has replaced" in late.said[0]
    assert files_beside(path) == []


def test_ca_07_a_run_without_an_answer_replaces_nothing(path: Path) -> None:
    """CA-07: what was seen is kept aside, and a person is told where."""
    Recorder(path, "one").asks("a").ends()
    before = path.read_bytes()
    bad = Recorder(path, "two").sees(request("b"), Entry("eof"), Entry("exit", status=1))
    bad.finishes(answers=0).finishes(answers=0, is_last=True)
    assert path.read_bytes() == before
    (part,) = files_beside(path)
    assert bad.said == [
        f"no answer was seen, so {path} is left as it is; "
        f"what was seen can be had by: mcpmock salvage {path.parent / part} -o OTHER.yaml"
    ]


def test_ca_07_a_run_without_a_message_leaves_nothing(path: Path) -> None:
    """CA-07: there is nothing to keep aside."""
    bad = Recorder(path).sees(Entry("stderr", text="no key\n"), Entry("eof"), Entry("exit", status=1))
    bad.finishes(answers=0, is_last=True)
    assert bad.said == [f"no message was seen, so {path} is not made"]
    assert not list(path.parent.iterdir())
    silent = Recorder(path).finishes(answers=0, is_last=True)
    assert silent.said == bad.said


def test_a_folder_that_was_made_for_nothing_is_removed(path: Path) -> None:
    """Ours: `-o new/folder/c.yaml` for a server that says nothing; what others have put there stays."""
    deep = path.parent / "new" / "folder" / "c.yaml"
    Recorder(deep).sees(Entry("stderr", text="no key\n")).finishes(answers=0, is_last=True)
    assert not list(path.parent.iterdir())
    recorder = Recorder(deep).sees(Entry("stderr", text="no key\n"))
    (deep.parent.parent / "theirs").touch()
    recorder.finishes(answers=0, is_last=True)
    assert [other.name for other in (path.parent / "new").iterdir()] == ["theirs"]
    Recorder(deep).asks("a").ends()
    assert files_beside(deep) == []


def test_pr_07_what_a_killed_recorder_has_left_is_taken_in_by_the_next_of_its_run(path: Path) -> None:
    """PR-07 (DESIGN 3, Crash-safe): in its place, before what came later."""
    Recorder(path).asks("a").is_killed()
    Recorder(path).asks("b").ends()
    assert asked(path) == [["a"], ["b"]]
    assert files_beside(path) == []


def test_pr_07_one_that_was_killed_between_its_two_ends_loses_nothing(path: Path) -> None:
    """PR-07: the cassette has its first end; the part file more."""
    killed = Recorder(path).asks("a").finishes()
    killed.asks("later", 2).is_killed()
    Recorder(path).asks("b").ends()
    assert asked(path) == [["a", "later"], ["b"]]
    assert files_beside(path) == []


def test_pr_07_what_the_cassette_holds_already_is_not_put_in_again(path: Path) -> None:
    """PR-07: its first end, with its times, is all there is."""
    Recorder(path).asks("a").finishes().is_killed()
    Recorder(path).asks("b").ends()
    assert asked(path) == [["a"], ["b"]]
    assert path.read_text().count("timing") == 2
    assert files_beside(path) == []


def test_pr_07_another_run_leaves_it_where_it_is(path: Path) -> None:
    """PR-07: it is not ours to take or to delete."""
    Recorder(path, "one").asks("a").is_killed()
    Recorder(path, "two").asks("b").ends()
    assert asked(path) == [["b"]]
    assert len(files_beside(path)) == 1


def test_what_is_remembered_is_private(path: Path) -> None:
    """Ours (DESIGN 3): a folder for its owner alone, in the temporary folder."""
    Recorder(path).asks("a").ends()
    (folder,) = Path(os.environ["TMPDIR"]).iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(notes.stat().st_mode) for notes in folder.iterdir()} == {0o600}


def test_without_a_private_folder_recording_works_and_every_recorder_is_a_run(path: Path) -> None:
    """Ours: somebody else has made the folder, so it is not trusted."""
    folder = Path(os.environ["TMPDIR"]) / f"mcpmock-{os.getuid()}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    Recorder(path).asks("a").finishes().ends()
    Recorder(path).asks("b").finishes().ends()
    assert asked(path) == [["b"]]
    assert files_beside(path) == []
    assert not list(folder.iterdir())


def test_growing_entries_are_kept_too(path: Path) -> None:
    """Ours: stderr that goes on is on the disk already."""
    keeper = CassetteKeeper(Destination(str(path), "r"), Session(), print)
    keeper.keep([request("a"), answer()], Entry("stderr", text="one\n"))
    keeper.keep([], Entry("stderr", text="one\ntwo\n"))
    keeper.finish([0, 0, 0], answers=1, is_last=False)
    texts: Sequence[object] = [entry.text for entry in load_file(str(path)).sessions[0].entries]
    assert texts == ["", "", "one\ntwo\n"]
    keeper.finish([0, 0, 0], answers=1, is_last=True)


def test_pr_07_a_kill_between_the_cassette_and_what_is_remembered_of_it_does_no_harm(path: Path) -> None:
    """PR-07: what is meant to happen is remembered before it happens."""
    killed = Recorder(path).asks("a")
    assert killed.part is not None
    session = Finished(os.path.basename(killed.part.path), "r", (killed.part.session,))
    with contextlib.suppress(InterruptedError), remembered(str(path)) as memory:
        put(str(path), memory, [session], adds=False)
        raise InterruptedError
    killed.is_killed()
    Recorder(path).asks("b").ends()
    assert asked(path) == [["a"], ["b"]]
    assert files_beside(path) == []
