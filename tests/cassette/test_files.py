"""Part files are valid at every moment; cassettes change from one moment to the next."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpmock.cassette import files
from mcpmock.cassette.files import Slice
from mcpmock.cassette.joining import fresh_head
from mcpmock.cassette.load import unfinished_parts
from mcpmock.cassette.locks import lock
from mcpmock.cassette.model import Entry, Session
from mcpmock.cassette.part_file import PartFile
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump_entry, dump_session_head


@pytest.fixture
def part(tmp_path: Path) -> Iterator[PartFile]:
    """A part file that has been begun."""
    part = PartFile(str(tmp_path / "c.yaml"))
    part.begin(fresh_head(), dump_session_head(Session(server="s")).encode())
    yield part
    part.close()


def stderr(text: str) -> bytes:
    """An entry as it is written."""
    return dump_entry(Entry("stderr", text=text)).encode()


def texts(path: str) -> list[str | bytes]:
    """The entries that a part file holds, read as a cassette."""
    (session,) = load(Path(path).read_bytes()).sessions
    return [entry.text for entry in session.entries]


def test_a_part_file_is_a_cassette_after_every_append(part: PartFile) -> None:
    """Ours (DESIGN 3, Crash-safe)."""
    assert texts(part.path) == []
    part.append(stderr("one\n"))
    assert texts(part.path) == ["one\n"]
    part.append(b"", stderr("two\n"))
    assert texts(part.path) == ["one\n", "two\n"]
    part.append(b"", stderr("two\nthree\n"))
    assert texts(part.path) == ["one\n", "two\nthree\n"]
    part.append(stderr("two\nthree\nfour\n"), b"")
    assert texts(part.path) == ["one\n", "two\nthree\nfour\n"]


def test_a_growing_entry_may_become_shorter(part: PartFile) -> None:
    """Ours: two lines in a block take less room than one full of quotes."""
    long = '"' * 80 + "\n"
    part.append(b"", stderr(long))
    part.append(stderr(long + "b\n"))
    assert texts(part.path) == [long + "b\n"]


def test_a_part_file_is_for_its_owner_and_has_a_name_of_its_own(tmp_path: Path) -> None:
    """Ours (DESIGN 3): `NAME.yaml.part-PID-N`; nobody else can read a recording."""
    one, two = PartFile(str(tmp_path / "c.yaml")), PartFile(str(tmp_path / "c.yaml"))
    assert [os.path.basename(made.path) for made in (one, two)] == [
        f"c.yaml.part-{os.getpid()}-1",
        f"c.yaml.part-{os.getpid()}-2",
    ]
    assert stat.S_IMODE(os.stat(one.path).st_mode) == 0o600
    assert files.parts_of(str(tmp_path / "c.yaml")) == [one.path, two.path]
    assert files.cassette_of(one.path) == str(tmp_path / "c.yaml")
    for made in (one, two):
        made.remove()
    assert not list(tmp_path.iterdir())


def test_a_part_file_that_cannot_be_begun_is_no_file(tmp_path: Path) -> None:
    """PR-07: a disk that is full from the start leaves nothing that would wait for ever to be salvaged."""
    part = PartFile(str(tmp_path / "c.yaml"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match=r"too large: .*c\.yaml\.part-"):
            part.begin(fresh_head(), b"")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


def test_the_part_files_of_a_link_are_those_of_the_file(tmp_path: Path) -> None:
    """Ours: a recorder writes where the link leads to, beside which its part files are."""
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.yaml"
    link.symlink_to("real/c.yaml")
    part = PartFile(str(tmp_path / "real" / "c.yaml"))
    assert files.parts_of(str(link)) == unfinished_parts(str(link)) == [part.path]
    part.remove()


def test_a_part_file_is_locked_while_it_is_written(part: PartFile) -> None:
    """Ours (DESIGN 3): who finds it unlocked knows that its recorder is dead."""
    with files.abandoned(part.path) as descriptor:
        assert descriptor is None


def test_a_part_file_that_sleeps_is_free_for_others_until_it_wakes(part: PartFile) -> None:
    """Ours: so that many sessions that idle do not use up the descriptors."""
    part.sleep()
    with files.abandoned(part.path) as descriptor:
        assert descriptor is not None
        assert not part.wake()
    assert part.is_there
    assert part.wake()
    with files.abandoned(part.path) as descriptor:
        assert descriptor is None
    part.sleep()
    os.unlink(part.path)
    assert not part.wake()
    assert not part.is_there


def test_a_part_file_that_was_left_is_known_by_its_lock(tmp_path: Path) -> None:
    """Ours (DESIGN 3)."""
    part = PartFile(str(tmp_path / "c.yaml"))
    part.begin(fresh_head(), b"")
    part.close()
    with files.abandoned(part.path) as descriptor:
        assert descriptor is not None
        assert files.read_all(descriptor) == fresh_head()
    with files.abandoned(str(tmp_path / "none")) as descriptor:
        assert descriptor is None


def test_the_folder_of_a_recording_is_made(tmp_path: Path) -> None:
    """Ours: `-o cassettes/new/x.yaml` needs no mkdir."""
    PartFile(str(tmp_path / "a" / "b" / "c.yaml")).close()
    assert (tmp_path / "a" / "b").is_dir()


def test_pr_07_what_does_not_fit_on_the_disk_leaves_a_whole_cassette(part: PartFile) -> None:
    """PR-07: a disk that is full in the middle of an entry."""
    part.append(stderr("one\n"), stderr("growing\n"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(part.path) + 10, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            part.append(stderr("x" * 1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert texts(part.path) == ["one\n"]
    session = part.session
    assert b"".join(files.chunks(session)).endswith(stderr("one\n"))


def test_a_new_cassette_is_for_its_owner(tmp_path: Path) -> None:
    """Ours: it may hold what nobody has thought of as a secret."""
    path = tmp_path / "c.yaml"
    files.replace(str(path), [b"new"])
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_old_cassette_keeps_its_mode(tmp_path: Path) -> None:
    """Ours: what was shared stays shared."""
    path = tmp_path / "c.yaml"
    path.write_bytes(b"old")
    path.chmod(0o644)
    files.replace(str(path), [b"ne", b"w"])
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert list(tmp_path.iterdir()) == [path]


def test_pr_07_a_full_disk_leaves_the_old_cassette_alone(tmp_path: Path) -> None:
    """PR-07, CA-07: written aside, then renamed."""
    path = tmp_path / "c.yaml"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            files.replace(str(path), [b"x" * 1000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_pr_07_temporary_files_of_the_killed_are_cleared_away(tmp_path: Path) -> None:
    """PR-07: a kill in the middle of finishing; nobody else would ever look at them."""
    path = tmp_path / "c.yaml"
    ours = [tmp_path / name for name in (".c.yaml.1.tmp", ".c.yaml.4711.tmp")]
    others = [tmp_path / name for name in (".c.yaml.x.tmp", ".other.yaml.1.tmp", "c.yaml.1.tmp", ".c.yaml.12.tmp")]
    for each in (*ours, *others):
        each.write_bytes(b"torn")
    with others[-1].open() as file:
        assert lock(file.fileno())  # somebody is at it
        files.replace(str(path), [b"new"])
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])


def test_bytes_are_copied_from_open_files(tmp_path: Path) -> None:
    """Ours (DESIGN 3): joining costs what copying costs."""
    source = tmp_path / "source"
    source.write_bytes(b"0123456789" * 300_000)
    descriptor = os.open(source, os.O_RDONLY)
    try:
        piece = Slice(descriptor, 5, 2_500_000)
        files.replace(str(tmp_path / "c"), [b"<", piece, b">"])
        assert (tmp_path / "c").read_bytes() == b"<" + source.read_bytes()[5:2_500_005] + b">"
        assert files.checksum(piece) == files.checksum(source.read_bytes()[5:2_500_005])
        assert files.size_of(piece) == 2_500_000
    finally:
        os.close(descriptor)
