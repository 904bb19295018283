"""The pytest plugin of mcpmock: a recorded MCP server as a fixture. `plugin.py` is the table of contents."""
