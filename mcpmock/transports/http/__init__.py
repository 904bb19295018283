"""The replay server over Streamable HTTP and HTTP+SSE: an ASGI application around the session machines."""
