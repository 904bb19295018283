"""What servers with a handshake told a client without one (2026-07-28), told again.

Imported only where such a client meets recordings that all begin with a handshake.
"""

from __future__ import annotations

from mcpmock.session.playing.casting import Casting, Library, Role
from mcpmock.wire.message import Message

__all__ = ["refused_alike"]


def refused_alike(message: Message, library: Library, casting: Casting) -> Role | None:
    """How HTTP refused the same request: the next unplayed one, else the last again."""
    for number in casting.in_search_order():
        played = casting.played(number)
        for group in library.index(number).find(message):
            if alike := [one for one in group.members if one.is_stateless and one.is_refused]:
                found = played.first_unplayed(alike, None) or alike[-1]
                is_repeat = played.is_used_up(found) or not played.claim(found)
                return Role(number, found, played, is_repeat)
    return None
