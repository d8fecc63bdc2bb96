"""The version of nubbin and its core; the packages are built with it."""

__version__ = "0.1.0"
