"""What was seen between a client and a server becomes the entries of sessions."""
