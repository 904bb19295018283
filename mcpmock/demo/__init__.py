"""What `mcpmock demo` shows: a small server and a small client, both of the standard library alone."""
