"""The ladder, without waiting."""

from __future__ import annotations

import pytest

from mcpmock.transports.ladder import Ladder, Patience, Step


def climb(
    ladder: Ladder, now: float, *, last_sign: float = 0.0, expects_answers: bool = False
) -> tuple[Step, float | None]:
    """The next step."""
    return ladder.step(now, last_sign=last_sign, expects_answers=expects_answers)


@pytest.fixture
def ladder() -> Ladder:
    """A ladder whose client has gone at second 100."""
    ladder = Ladder(Patience(after_client=5, for_answers=60, after_term=2, for_nobody=1))
    ladder.client_gone(100)
    return ladder


def test_nothing_happens_while_the_client_is_there() -> None:
    """Ours (DESIGN 5): however long that is."""
    ladder = Ladder(Patience())
    assert climb(ladder, 1_000_000) == ("wait", None)
    assert not ladder.has_begun


def test_pr_04_a_term_after_five_seconds_and_a_kill_two_later(ladder: Ladder) -> None:
    """PR-04: bounded."""
    assert climb(ladder, 101) == ("wait", 4)
    assert climb(ladder, 105) == ("terminate", 2)
    assert climb(ladder, 106) == ("wait", 1)
    assert climb(ladder, 107) == ("kill", None)


def test_the_clients_end_counts_once(ladder: Ladder) -> None:
    """Ours: first its end of the stream, then its broken stdout."""
    ladder.client_gone(104)
    assert climb(ladder, 105)[0] == "terminate"


def test_an_answer_after_the_clients_end_begins_the_wait_anew(ladder: Ladder) -> None:
    """Ours: the last of several answers in flight."""
    assert climb(ladder, 106, last_sign=104) == ("wait", 3)


def test_answers_that_are_awaited_get_a_minute(ladder: Ladder) -> None:
    """Ours: from what the server said last."""
    assert climb(ladder, 150, last_sign=130, expects_answers=True) == ("wait", 40)
    assert climb(ladder, 190, last_sign=130, expects_answers=True) == ("terminate", 2)


def test_pr_03_who_answers_nobody_has_a_second_and_another(ladder: Ladder) -> None:
    """PR-03, issue 4: nothing is left 3 s after the client has died, however it died."""
    ladder.nobody_reads(100)
    assert climb(ladder, 100.5) == ("wait", 0.5)
    assert climb(ladder, 101) == ("terminate", 1)
    assert climb(ladder, 102) == ("kill", None)


def test_pr_03_a_client_that_dies_while_it_waits_is_waited_for_no_longer(ladder: Ladder) -> None:
    """PR-03: it had closed its end, and is then killed."""
    assert climb(ladder, 103) == ("wait", 2)
    ladder.nobody_reads(103)
    ladder.nobody_reads(103.5)
    assert climb(ladder, 104) == ("terminate", 1)
    assert climb(ladder, 105) == ("kill", None)


def test_pr_03_more_patience_is_never_given_to_a_server_without_a_client(ladder: Ladder) -> None:
    """PR-03: the ordinary steps come first where they are due first."""
    assert climb(ladder, 105) == ("terminate", 2)
    ladder.nobody_reads(106.5)
    step, pause = climb(ladder, 106.9)
    assert (step, pause) == ("wait", pytest.approx(0.1))  # type: ignore[comparison-overlap, unused-ignore]
    assert climb(ladder, 107) == ("kill", None)
