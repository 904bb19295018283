"""mcpmock: record a real session of the Model Context Protocol once, replay it for ever."""

__version__ = "0.1.0"
__all__ = ["__version__"]
