"""Syntax trees: grammars, the parser in a process of its own, and what it reads."""
