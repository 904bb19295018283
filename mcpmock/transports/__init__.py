"""Thin shells around the machines: the only place with I/O and time."""
