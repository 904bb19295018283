"""The command line: `mcpmock` and `python -m mcpmock`.

`replay` and `record` stand where a server's command stood and are started for every session, so they go straight to
their own modules: the other commands, and the library that reads their options, cost more time than a whole replay.
"""

from __future__ import annotations

import os
import sys

from mcpmock.errors import McpmockError, printable

INTERRUPTED = 130
"""The exit code after Ctrl-C, as a shell gives it: 128 and the number of the signal."""


def main() -> int:
    """Run the command in `sys.argv` and return the exit code.

    Errors that mcpmock raises on purpose are one paragraph on stderr and their own exit code; whatever else is
    raised is a fault of mcpmock and ends with a traceback.
    """
    try:
        return _run(sys.argv[1:])
    except McpmockError as error:
        return _complain(str(error), error.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # who read our output has gone (`mcpmock show … | head`)
        _drop_output()
        return McpmockError.exit_code
    except OSError as error:
        _drop_output()
        return _complain(_explained(error), McpmockError.exit_code)
    except MemoryError:
        pass  # what is bound here still holds it
    _drop_output()
    return _complain(f"{' '.join(sys.argv[1:2])}: {_TOO_LITTLE}", McpmockError.exit_code)


def _drop_output() -> None:
    """Lets go of what could not be written: Python would try once more when it ends, and complain on its own."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    if arguments[:1] in (["replay"], ["record"]):
        _let_interrupts_end_us()
    if arguments[:1] == ["replay"]:
        from mcpmock.cli.replay import main as replay

        return replay(arguments[1:])
    if arguments[:1] == ["record"]:
        from mcpmock.cli.record_options import read_request
        from mcpmock.recording import record

        if request := read_request(arguments[1:]):
            record(request)
    from mcpmock.cli.group import run

    return run(arguments)


def _let_interrupts_end_us() -> None:
    """Until a session has begun, an interrupt ends this process as other signals do.

    Python's own way, an exception, is lost where it is raised within a callback of the import system; then nothing
    ends, though somebody has asked for it.
    """
    # `signal` takes longer to import; of this module some versions of typeshed know nothing
    from _signal import (  # type: ignore[import-not-found, unused-ignore]
        SIG_DFL,
        SIGINT,
        default_int_handler,
        getsignal,
        signal,
    )

    if getsignal(SIGINT) is default_int_handler:  # what is ignored (`nohup`) stays ignored
        signal(SIGINT, SIG_DFL)


def _explained(error: OSError) -> str:
    """The error with its place, which a full disk does not tell."""
    if error.filename is not None:
        return str(error)
    if isinstance(error, FileNotFoundError) and _is_nowhere():
        return "the current folder has been deleted: change to one that is there"
    arguments = sys.argv[1:]
    place = " ".join(arguments) if arguments[:1] in _WRITERS else "the output cannot be written"
    return f"{place}: {error.strerror or error}"


def _is_nowhere() -> bool:
    try:
        os.getcwd()
    except OSError:
        return True
    return False


_TOO_LITTLE = (
    "there is too little memory for a message or a cassette; ask for less at once, or raise the limit (ulimit -v)"
)
_WRITERS = (["record"], ["replay"], ["salvage"])


def _complain(text: str, code: int) -> int:
    print(f"mcpmock: {printable(text)}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
