"""The recording proxy over HTTP: bytes and events pass on as they arrive, and are thought about later."""
