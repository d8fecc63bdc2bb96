"""The version of nubbin and its core: here and nowhere else; packages are built with it."""

__version__ = "0.1.0"
