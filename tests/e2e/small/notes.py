"""What the small servers in Python serve, whichever SDK they are on: tools, resources and a prompt that ask nobody."""

from __future__ import annotations

note = {"text": "nothing"}


def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


def fail() -> str:
    """Fails."""
    raise RuntimeError("this was to be expected")


def write(text: str) -> str:
    """Writes the note."""
    note["text"] = text
    return "written"


def look() -> str:
    """Reads the note."""
    return note["text"]


def now() -> str:
    """The note."""
    return note["text"]


def old(number: str) -> str:
    """A note of old."""
    return f"note {number}"


def greet(name: str) -> str:
    """Greets somebody."""
    return f"Say hello to {name}."
