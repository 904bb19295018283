"""Parameters of OAuth that are secrets by the company they keep: `code` beside `state` is one, elsewhere it is a number
of an error, or of a country."""

from __future__ import annotations

import re
from typing import Final

from mcpmock.cassette.redaction.secret_names import words

__all__ = ["is_grant"]

_GRANTS: Final = frozenset(("code", "assertion"))
_COMPANY: Final = r"(?:^|[?&#;])(?:state|iss|scope|session_state|grant_type|redirect_uri|client_id|code_verifier)="
_BLANK: Final = r"[\s\"'<>\\`]"
_NEAR: Final = 2048


def is_grant(name: str, text: str, start: int, end: int) -> bool:
    """Whether the parameter of this name, which stands there in a URL or a form, is what a token is given for: in the
    redirect back to the client, or its request for a token (RFC 6749, 4.1.2 and 4.1.3; RFC 9207; RFC 7521)."""
    if words(name) not in _GRANTS:
        return False
    before = re.split(_BLANK, text[max(0, start - _NEAR) : start])[-1]
    behind = re.split(_BLANK, text[end : end + _NEAR], maxsplit=1)[0]
    return re.search(_COMPANY, before) is not None or re.search(_COMPANY, behind) is not None
