"""Restores objects that were pickled. Nothing that is restored has been verified."""

from droste._native import Program


def program(text: str, name: str) -> Program:
    """Compiles a program again."""
    return Program.compile(text, name=name)
