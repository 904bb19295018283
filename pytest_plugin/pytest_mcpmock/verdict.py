"""Does a test fail, and when is that told: after its body if it can be, else with its teardown, and never instead of
its own failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mcpmock import McpmockError, MockServer

__all__ = ["OpenMock", "Verdict"]


class OpenMock:
    """A mock that tests use; `item` is the test that it was opened for, None for one that serves several.

    A mock for several tests fails for what was unplayed only where that was asked for, because nobody knows which of
    the tests are run.
    """

    def __init__(self, server: MockServer, item: pytest.Item | None, *, counts_unplayed: bool) -> None:
        self.server = server
        self.item = item
        self._counts_unplayed = counts_unplayed
        self.has_failed = False
        self._told = 0  # misses
        self._is_settled = False
        self._is_forgiven = False
        self._fault: McpmockError | None = None

    def is_in_use(self) -> bool:
        """Whether a client is still connected, so that more may come."""
        return any(session.is_open for session in self.server.sessions)

    def complaint(self, *, is_last: bool) -> str:
        """What a test has to fail for and was not told yet; empty if nothing. `is_last`: no client will come back."""
        from mcpmock.errors import McpmockError

        unplayed = is_last and self._counts_unplayed and not self._is_settled
        try:
            pages = self.server.explain(since=self._told, unplayed=unplayed)
        except McpmockError as fault:  # a server that cannot be started, a recording of nothing
            is_news = fault is not self._fault and not (is_last and self._is_forgiven)
            pages = f"mcpmock: {fault}\n" if is_news else ""
            self._fault = fault
        self._told = len(self.server.misses)
        self._is_settled |= is_last
        return pages

    def forgive(self, *, has_failed: bool) -> None:
        """The test has ended by itself: what it did not play is no news; if it failed, its recording is kept aside."""
        self._is_settled = self._is_forgiven = True
        self.has_failed |= has_failed

    def aside(self) -> str:
        """Where the recording of a failed test is, for people."""
        path = self.server.recording_if_failed
        return f"mcpmock: what this test records is kept in {path}; the cassette stays as it is\n" if path else ""

    def close(self) -> None:
        """Ends all sessions; what was recorded takes the cassette's place, or is kept aside."""
        self.server.close(failed=self.has_failed)


class Verdict:
    """The judge over all mocks that are open in this process."""

    def __init__(self) -> None:
        self._open: list[OpenMock] = []

    def opened(self, mock: OpenMock) -> None:
        """A mock is there."""
        self._open.append(mock)

    def judge(self, item: pytest.Item) -> None:
        """The body of a test has ended well. Fails where its client did not."""
        complaints = [
            mock.complaint(is_last=mock.item is item and not mock.is_in_use())
            for mock in self._open
            if mock.item in (item, None)
        ]
        _raise_any(complaints)

    def note_failure(self, item: pytest.Item, error: BaseException, when: str) -> None:
        """A test has ended by itself: with a failure, a skip, or Ctrl-C. What was missed is told beside that."""
        mocks = [mock for mock in self._open if mock.item in (item, None)]
        has_failed = not isinstance(error, pytest.skip.Exception)
        for mock in mocks:
            mock.forgive(has_failed=has_failed)
        if not has_failed:
            return
        pages = [mock.complaint(is_last=False) + mock.aside() for mock in mocks]
        text = "".join(page for page in pages if page != str(error)).rstrip()  # `raise_on_miss` has told it
        if text:
            item.add_report_section(when, "mcpmock", text)

    def closed(self, mock: OpenMock) -> None:
        """A mock is closed, with its scope. Fails where something came up since the last verdict."""
        self._open.remove(mock)
        _raise_any([mock.complaint(is_last=True)])

    def mark(self, call: pytest.CallInfo[Any], report: pytest.TestReport) -> None:
        """Tells the report of a teardown whether the failure is ours alone."""
        if call.excinfo is not None and getattr(call.excinfo.value, "mcpmock_failure", False):
            report.mcpmock_failure = True  # type: ignore[attr-defined]  # reports take what plugins add


def _raise_any(complaints: list[str]) -> None:
    """Fails with the pages, as `pytest.fail` does: our frames would explain nothing."""
    text = "".join(complaints)
    if text:
        failure = pytest.fail.Exception(text.rstrip(), pytrace=False)
        failure.mcpmock_failure = True  # type: ignore[attr-defined]  # so that `mark` knows it again
        raise failure
