"""How a recording is kept, whatever is recorded: where, under which name, and what is masked in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mcpmock.errors import UsageError
from mcpmock.transports.destination import Destination, check_destination, run_named
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE

if TYPE_CHECKING:
    from mcpmock.cassette.redaction.redactor import Redactor
    from mcpmock.cassette.variables import Masking, VariableMask

__all__ = ["Keeping", "Masks", "masks_for"]


class Keeping(NamedTuple):
    """How a recording is kept.

    output       the cassette's file
    server       the server's name in it; empty: one that its command or its URL suggests
    run          the name of the run; empty: our parent process is the run
    appends      what earlier runs have recorded stays in the cassette
    redacts      secrets are replaced before anything reaches the disk
    redact       the user's own rules for what is one, as `cassette.redaction.rules` words them
    vars         what is recorded as a variable, by name
    folders      so are the home, the temporary and the working folder
    max_message  the longest message, in bytes, that is kept
    """

    output: str
    server: str = ""
    run: str = ""
    appends: bool = False
    redacts: bool = True
    redact: Sequence[str] = ()
    vars: Mapping[str, str] = {}
    folders: bool = True
    max_message: int = DEFAULT_MAX_MESSAGE

    @property
    def destination(self) -> Destination:
        """Where it goes."""
        return Destination(os.path.abspath(self.output), run_named(self.run), adds=self.appends)

    def check(self) -> None:
        """See that it can be kept so, before anything is moved. Raises UsageError and CassetteError."""
        check_destination(self.output)
        self.check_rules()

    def check_rules(self) -> None:
        """See that the user's rules for redaction make sense. Raises UsageError."""
        if not self.redact:
            return
        from mcpmock.cassette.redaction.rules import read_rules

        read_rules(self.redact)
        if not self.redacts:
            raise UsageError("--redact says what else to mask, --no-redact to mask nothing; leave one of them out")


class Masks(NamedTuple):
    """What takes secrets and folders out of a recording.

    mask       of entries
    variables  of folders alone, also in the session's head
    redactor   of secrets alone; None: they are kept
    """

    mask: Masking
    variables: VariableMask
    redactor: Redactor | None

    @property
    def counts(self) -> Mapping[str, int] | None:
        """How often which rule has masked, counted on while it is recorded; None where nothing is masked."""
        return self.redactor.counts if self.redactor else None


def masks_for(keeping: Keeping, environment: Mapping[str, str], cwd: str | None = None) -> Masks:
    """The masks of a recording whose server has this environment and working folder (None: ours)."""
    # A recorder's server runs by now; these take longer to import than many a server takes to start.
    from mcpmock.cassette.variables import MaskChain
    from mcpmock.folders import variable_mask

    variables = variable_mask(keeping.vars, environment, cwd, folders=keeping.folders)
    if not keeping.redacts:
        return Masks(variables, variables, None)
    from mcpmock.cassette.redaction.redactor import Redactor
    from mcpmock.cassette.redaction.rules import read_rules

    redactor = Redactor(environment=environment, rules=read_rules(keeping.redact))
    return Masks(MaskChain(redactor, variables), variables, redactor)
