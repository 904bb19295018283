"""What stands before a recording: who is answered before anybody looks up what it asks (PROTOCOL 2.4, 2.6 and 4.5).

That is a request with a flaw, one of a version that the recorded server cannot serve, and one of a client that cannot
be asked what the recording asks next.
"""

from __future__ import annotations

from mcpmock.session.interaction import PROBES, Interaction
from mcpmock.session.playing.casting import Casting, Role
from mcpmock.session.playing.live import Live
from mcpmock.session.story import Story
from mcpmock.wire.envelope import CAPABILITIES_KEY, is_enveloped, meta_of, version_of
from mcpmock.wire.message import Message, Object

__all__ = ["Gate"]


class Gate:
    """Turns requests of one live client away: with a recorded refusal (a role to play), or with an error object."""

    def __init__(self, story: Story, casting: Casting, live: Live) -> None:
        self._story = story
        self._casting = casting
        self._live = live
        self._may_be_stateless = story.holds_era("modern")
        self._holds_stateless = story.shows_stateless

    def judge(self, message: Message) -> Role | Object | None:
        """What turns a request away before its meaning counts; None where nothing does."""
        if self._holds_stateless and (refusal := self.flaw(message)) is not None:
            return refusal
        if message.method == "initialize" and not is_enveloped(message):
            return None if self._story.holds_era("legacy") else self._refused_version(message)
        if self._may_be_stateless and is_enveloped(message):
            self._live.era = "modern"
            return self._refused_version(message)
        return None

    def is_of_other_era(self, message: Message) -> bool:
        """Whether a stateless request meets recordings with a handshake: a legacy server does not know it, and says so
        at once, so that the client falls back (PROTOCOL 4.5)."""
        return message.method not in PROBES and is_enveloped(message) and not self._may_be_stateless

    def flaw(self, message: Message) -> Role | None:
        """How the like was refused for a flaw, if it was. A client that has shaken hands has none by leaving out what
        only the others send."""
        if not self._holds_stateless or self._live.options.order == "strict":  # there it is one of those in their order
            return None
        if self._live.revision and not is_enveloped(message):
            return None
        return self._casting.find_refusal(message)

    def probe(self, message: Message) -> Role | None:
        """A recorded `server/discover`; but none that was refused for a version other than the live one, and none where
        the next client did not wait for it."""
        if self._casting.is_to_fall_back():
            return None
        role = self._casting.find_noise(message)
        if role is None or not _is_refused_for_another(role.interaction, message):
            return role
        from mcpmock.session.playing.stateless import refuses_version

        return None if refuses_version(role.interaction) else role

    def lacking(self, message: Message, interaction: Interaction) -> Object | None:
        """The error for a stateless client that cannot be asked what the recording asks next (DESIGN 4).

        Who writes a recorded client by hand need not say what it can do; live ones always do.
        """
        if self._live.options.rehearses and CAPABILITIES_KEY not in meta_of(message):
            return None
        from mcpmock.session.playing.stateless import capability_error

        error = capability_error(message, interaction)
        if error is not None:
            self._live.report.gates.append({"method": interaction.method, "line": interaction.entry.line})
        return error

    def _refused_version(self, message: Message) -> Role | Object | None:
        from mcpmock.session.playing.stateless import version_error

        error = version_error(message, self._story)
        return None if error is None else self._recorded_refusal(message) or error

    def _recorded_refusal(self, message: Message) -> Role | None:
        """How a handshake was refused, of a client that waited in vain for the answer to its probe; or how the very
        probe was, where that is all."""
        if message.method == "initialize":
            return self._casting.find_noise(message)
        role = self.probe(message) if message.method == "server/discover" else None
        if role is None or not role.interaction.has_failed or _is_refused_for_another(role.interaction, message):
            return None
        return role


def _is_refused_for_another(interaction: Interaction, message: Message) -> bool:
    """Whether a recorded request failed that spoke another version than the live one."""
    asked = interaction.request if interaction.has_failed else None
    return asked is not None and version_of(asked) != version_of(message)
