"""What was said over HTTP: exchanges and streams become the entries of sessions."""
