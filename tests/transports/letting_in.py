"""A small authorization server, a server that names it, and a client that goes the whole way between the two."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

from tests.transports.http_upstream import Asked, Upstream
from tests.transports.proxying import Answer, Client, Proxy, recording

PROTECTED: Final = "/.well-known/oauth-protected-resource/mcp"
ISSUER: Final = "/.well-known/oauth-authorization-server"
CALLBACK: Final = "http://localhost:3000/callback"
CODE: Final = "sfb82hfKq91z"
TOKEN: Final = "Zk93hfKs82hfQm41"
JSON: Final = "Content-Type: application/json"


class Issuer:
    """Lets everybody in. `metadata` is what it says beside its endpoints; `page` is shown instead of a code."""

    def __init__(self, page: str = "", **metadata: Any) -> None:
        self.page = page
        self.metadata = metadata
        self.seen: list[Asked] = []

    def __call__(self, asked: Asked) -> None:
        """Answer one request."""
        self.seen.append(asked)
        own, path = f"http://{asked.all('host')[0]}", urlsplit(asked.target).path
        if path == ISSUER:
            places = {"issuer": own, "authorization_endpoint": f"{own}/authorize", "token_endpoint": f"{own}/token"}
            asked.answer(200, json.dumps({**places, **self.metadata}), JSON)
        elif path == "/authorize" and self.page:
            asked.answer(200, self.page, "Content-Type: text/html", "Set-Cookie: a=b")
        elif path == "/authorize":
            asked.answer(302, b"", f"Location: {CALLBACK}?code={CODE}&iss={quote(own, safe='')}")
        elif path == "/token":
            asked.answer(200, json.dumps({"access_token": TOKEN, "token_type": "Bearer", "iss": own}), JSON)
        else:
            asked.answer(404)

    def asked_for(self, path: str) -> list[Asked]:
        """The requests for that path."""
        return [asked for asked in self.seen if urlsplit(asked.target).path == path]


class Scene(NamedTuple):
    """All that take part: the server, the one that lets clients in, the recorder, and a client of that."""

    server: Upstream
    issuer: Upstream
    proxy: Proxy
    client: Client

    def told(self) -> str:
        """Which authorization server the client is told of."""
        self.client.ask("GET", path=PROTECTED)
        document = self.client.answer().message
        assert document["resource"] == f"http://{self.client.authority}/mcp"
        return str(document["authorization_servers"][0])


@contextmanager
def scene(folder: Path, issuer: Issuer, **options: Any) -> Iterator[Scene]:
    """A recorder that rewrites, unless `options` say otherwise, before a server that wants a token of that issuer."""
    with Upstream(issuer) as far:

        def serve(asked: Asked) -> None:
            own = f"http://{asked.all('host')[0]}"
            if asked.target == PROTECTED:
                asked.answer(200, json.dumps({"resource": f"{own}/mcp", "authorization_servers": [far.url]}), JSON)
            elif asked.all("authorization") != [f"Bearer {TOKEN}"]:
                asked.answer(401, b"", f'WWW-Authenticate: Bearer resource_metadata="{own}{PROTECTED}"')
            else:
                asked.result({"tools": []})

        options = {"rewrite_auth": True, **options}
        with (
            Upstream(serve) as server,
            recording(folder / "c.yaml", f"{server.url}/mcp", **options) as proxy,
            Client(proxy.url) as client,
        ):
            yield Scene(server, far, proxy, client)


def login(client: Client, **query: str) -> str:
    """The target that a person is sent to, in the name of that client of a recorder."""
    asked = {"response_type": "code", "client_id": "c", "redirect_uri": CALLBACK, **query}
    resource = f"http://{client.authority}/mcp"
    return "/authorize?" + "&".join(
        f"{key}={quote(value, safe='')}" for key, value in {**asked, "resource": resource}.items()
    )


def ask(url: str, method: str, target: str, *fields: str, form: str = "", host: str = "") -> Answer:
    """One request to the proxy at this URL, on a connection of its own."""
    with Client(url) as client:
        if form:
            fields = ("Content-Type: application/x-www-form-urlencoded", *fields)
        client.ask(method, *fields, path=target, host=host, body=form.encode() if form else None)
        return client.answer()


def parameter(text: str | bytes, name: str) -> str:
    """The value of a parameter in a query, or a form."""
    query = text.decode() if isinstance(text, bytes) else text.partition("?")[2]
    return parse_qs(query)[name][0]
