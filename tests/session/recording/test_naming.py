"""A server is called what a person would call it."""

from __future__ import annotations

import shlex

import pytest

from mcpmock.session.recording.naming import name_from_command


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y @modelcontextprotocol/server-everything stdio", "everything"),
        ("node /x/node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio", "everything"),
        ("npx @playwright/mcp@latest", "playwright"),
        ("npx -y mcp-remote@0.1.2 https://x.y/mcp", "remote"),
        ("uvx mcp-server-time --local-timezone UTC", "time"),
        ("uvx --from git+https://x/y serena start-mcp-server", "serena"),
        ("uv --directory /x/y run weather", "weather"),
        ("uv run --with mcp python /home/me/weather/server.py", "weather"),
        ("python -m mcp_server_git --repository /x", "git"),
        ("python -m mcpmock.demo.server", "demo"),
        ("/usr/bin/python3.11 /srv/echo.py", "echo"),
        ("/usr/bin/mcp-server-time", "time"),
        ("docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server", "github"),
        ("sh -c 'FOO=1 exec node /a/fs-server/build/index.js'", "fs"),
        ("java -jar /x/foo.jar", "foo"),
        ("python -c pass", "server"),
        ("python server.py", "server"),
        ("./server", "server"),
        ("''", "server"),
    ],
)
def test_the_name_is_in_the_command(command: str, name: str) -> None:
    """Ours (issue 2): launchers, options, versions, affixes and generic names are left out."""
    assert name_from_command(shlex.split(command)) == name
