"""Restores objects that were pickled. Nothing that is restored has been verified."""

from droste._native import Aggregate, Plan, Program, Proof


def program(text: str, name: str) -> Program:
    """Compiles a program again."""
    return Program.compile(text, name=name)


def proof(data: bytes) -> Proof:
    """Decodes a proof."""
    return Proof.from_bytes(data)


def aggregate(data: bytes) -> Aggregate:
    """Decodes an aggregate."""
    return Aggregate.from_bytes(data)


def plan(text: str) -> Plan:
    """Reads a plan."""
    return Plan.from_json(text)
