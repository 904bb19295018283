"""What both official Python SDKs have alike: how a client answers a server, and what it names in a completion."""

from __future__ import annotations

from typing import Any

import mcp.types as t
from steps import FILLED_IN, SAMPLED, Client, plain


class Answers:
    """What the SDK calls when the server asks."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def sampling(self, context: Any, params: Any) -> t.CreateMessageResult | t.ErrorData:
        """The client's model: answers, or refuses with an error."""
        self._client.happened("sampling", plain(params))
        if self._client.is_refusing:
            return t.ErrorData(code=-1, message="User rejected sampling request")
        return t.CreateMessageResult.model_validate(SAMPLED)

    async def elicitation(self, context: Any, params: Any) -> t.ElicitResult:
        """The client's user: fills in what is required, or declines."""
        self._client.happened("elicitation", plain(params))
        if self._client.is_refusing:
            return t.ElicitResult(action="decline")
        return t.ElicitResult(action="accept", content=dict(FILLED_IN))

    async def roots(self, context: Any) -> t.ListRootsResult:
        """The client's folders."""
        self._client.happened("roots")
        return t.ListRootsResult.model_validate(self._client.roots_now())


def reference_from(reference: dict[str, str]) -> Any:
    """What arguments are completed of, in the SDK's own type."""
    kind = t.PromptReference if reference["type"] == "ref/prompt" else t.ResourceTemplateReference
    return kind.model_validate(reference)
