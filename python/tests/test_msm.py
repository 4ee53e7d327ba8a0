"""Sums over curves agree with the textbook's addition on integers of Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

import droste
from droste._types import Limbs

Point = tuple[int, int] | None

# Field order, b of y^2 = x^3 + b, a point (of BLS12-381: the generator of G1), limbs.
CURVES: dict[str, tuple[int, int, tuple[int, int], int]] = {
    "bn254": (
        0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47, 3, (1, 2), 4,
    ),
    "grumpkin": (
        0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001, -17,
        (1, 0x2CF135E7506A45D632D270D45F1181294833FC48D823F272C), 4,
    ),
    "pallas": (
        0x40000000000000000000000000000000224698FC094CF91B992D30ED00000001, 5,
        (-1, 2), 4,
    ),
    "vesta": (
        0x40000000000000000000000000000000224698FC0994A8DD8C46EB2100000001, 5,
        (-1, 2), 4,
    ),
    "bls12-381": (
        0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB,
        4,
        (
            0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
            0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1,
        ),
        6,
    ),
}  # fmt: skip


def add(p: int, left: Point, right: Point) -> Point:
    """The sum of two points of a curve with a = 0."""
    if left is None or right is None:
        return right if left is None else left
    (x1, y1), (x2, y2) = left, right
    if x1 == x2 and (y1 + y2) % p == 0:
        return None
    slope = 3 * x1 * x1 * pow(2 * y1, -1, p) if left == right else (y2 - y1) * pow(x2 - x1, -1, p)
    x3 = (slope * slope - x1 - x2) % p
    return x3, (slope * (x1 - x3) - y1) % p


def multiply(p: int, scalar: int, point: Point) -> Point:
    """A multiple of a point by doubling and adding."""
    sum: Point = None
    for bit in bin(scalar)[2:]:
        sum = add(p, sum, sum)
        if bit == "1":
            sum = add(p, sum, point)
    return sum


def limbs(integer: int, count: int) -> list[int]:
    """The limbs of an integer, the lowest first."""
    return [integer >> 64 * i & (2**64 - 1) for i in range(count)]


def encode(points: list[Point], count: int) -> Limbs:
    """Points as an array; infinity is zeros."""
    rows = [[limbs(x, count) for x in point or (0, 0)] for point in points]
    return np.array(rows, np.uint64).reshape(len(points), 2, count)


def decode(point: Limbs) -> Point:
    """A point from an array."""
    x, y = (sum(int(limb) << 64 * i for i, limb in enumerate(row)) for row in point)
    return (x, y) if x or y else None


def some_points(curve: str, count: int) -> list[Point]:
    """Multiples of the curve's point, infinity, a repeated point and opposite ones."""
    p, b, (x, y), _ = CURVES[curve]
    start = (x % p, y % p)
    assert (start[1] ** 2 - start[0] ** 3 - b) % p == 0
    numbers = random.Random(curve)
    points: list[Point] = [multiply(p, numbers.randrange(1, 2**64), start) for _ in range(count)]
    first = points[0]
    assert first is not None
    return [*points, None, first, (first[0], p - first[1])]


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("count", [1, 60])
def test_sums_are_the_textbooks(curve: str, count: int) -> None:
    p, _, _, width = CURVES[curve]
    points = some_points(curve, count)
    numbers = random.Random(count)
    scalars = [numbers.randrange(2**bits) for bits in [256, 255, 64, 1] for _ in points]
    scalars = scalars[:: len(scalars) // len(points)][: len(points)]
    expected: Point = None
    for scalar, point in zip(scalars, points, strict=True):
        expected = add(p, expected, multiply(p, scalar, point))
    array = np.array([limbs(scalar, 4) for scalar in scalars], np.uint64)
    found = droste.msm(curve, encode(points, width), array)
    assert found.shape == (2, width) and found.dtype == np.uint64
    assert decode(found) == expected


@pytest.mark.parametrize("curve", CURVES)
def test_sums_of_nothing_and_to_infinity(curve: str) -> None:
    width = CURVES[curve][3]
    points = encode(some_points(curve, 1)[:1], width)
    one = np.array([[1, 0, 0, 0]], np.uint64)
    assert not droste.msm(curve, points[:0], one[:0]).any()
    assert not droste.msm(curve, points, one * np.uint64(0)).any()
    assert droste.msm(curve, points, one).tolist() == points[0].tolist()


def test_what_is_no_sum_is_refused() -> None:
    p = CURVES["bn254"][0]
    point, one = encode([(1, 2)], 4), np.array([[1, 0, 0, 0]], np.uint64)

    def refused(words: str, bases: object = point, scalars: object = one) -> None:
        with pytest.raises(droste.Error, match=words):
            droste.msm("bn254", bases, scalars)  # type: ignore[arg-type]

    refused("base 0 is not on the curve", encode([(1, 3)], 4))
    refused("base 1 is not on the curve", encode([(1, 2), (0, 5)], 4), one.repeat(2, 0))
    refused("a coordinate of base 0 is not below the field's order", encode([(p + 1, 2)], 4))
    refused("2 bases and 1 scalars, expected as many", point.repeat(2, 0))
    refused("expected points: uint64 of shape", encode([(1, 2)], 6))
    refused("expected points: uint64 of shape", point[0])
    refused("expected scalars: uint64 of shape", point, one[0])
    refused("expected an array of uint64", point.astype(np.int64))
    refused("not contiguous", point.repeat(4, 0)[::2])
    with pytest.raises(droste.UsageError, match="unknown curve `p256`: expected bn254"):
        droste.msm("p256", point, one)
    with pytest.raises(droste.MsmError):
        droste.msm("bn254", point, one.repeat(2, 0))
