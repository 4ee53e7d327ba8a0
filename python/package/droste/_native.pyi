from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

from numpy import uint8
from numpy.typing import NDArray

from droste._types import (
    Bytes,
    CostRow,
    Derived,
    Elements,
    Features,
    Hint,
    Input,
    Limbs,
    Ran,
    Summary,
    Task,
    Verified,
)

__all__ = [
    "Aggregate",
    "Blake3",
    "Keccak256",
    "MerkleTree",
    "Plan",
    "Poseidon16",
    "Program",
    "Proof",
    "Store",
    "Worker",
    "cost_row",
    "features",
    "hash",
    "join",
    "keys",
    "msm",
    "wrap",
]

_Path = str | PathLike[str]
_Ints = Sequence[int] | Elements

def hash(hash: str, message: Bytes, /) -> bytes: ...

@final
class Blake3:
    @staticmethod
    def hash(message: Bytes, /) -> bytes: ...
    @staticmethod
    def hash_many(messages: NDArray[uint8], /) -> NDArray[uint8]: ...
    @staticmethod
    def parent(left: Bytes, right: Bytes, /) -> bytes: ...

@final
class Keccak256:
    @staticmethod
    def hash(message: Bytes, /) -> bytes: ...
    @staticmethod
    def hash_many(messages: NDArray[uint8], /) -> NDArray[uint8]: ...
    @staticmethod
    def parent(left: Bytes, right: Bytes, /) -> bytes: ...

@final
class Poseidon16:
    @staticmethod
    def hash_bytes(message: Bytes, /) -> bytes: ...
    @staticmethod
    def hash_bytes_many(messages: NDArray[uint8], /) -> NDArray[uint8]: ...
    @staticmethod
    def hash(tag: int, elements: _Ints, /) -> Elements: ...
    @staticmethod
    def permute(state: _Ints, /) -> Elements: ...
    @staticmethod
    def compress(input: _Ints, /) -> Elements: ...
    @staticmethod
    def compress_pair(left: _Ints, right: _Ints, /) -> Elements: ...

@final
class MerkleTree:
    def __new__(cls, hash: str, rows: Elements, *, cap_height: int = 0) -> MerkleTree: ...
    @property
    def hash(self) -> str: ...
    @property
    def height(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def cap(self) -> NDArray[Any]: ...
    def open(self, index: int) -> tuple[Elements, NDArray[Any]]: ...
    @staticmethod
    def verify(
        hash: str,
        cap: NDArray[Any],
        height: int,
        width: int,
        index: int,
        row: _Ints,
        path: NDArray[Any],
    ) -> None: ...

@final
class Program:
    @staticmethod
    def compile(text: str, *, name: str = "main.rs") -> Program: ...
    @staticmethod
    def from_file(path: _Path, /) -> Program: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def instructions(self) -> int: ...
    @property
    def constants(self) -> int: ...
    @property
    def public_inputs(self) -> int: ...
    @property
    def public_outputs(self) -> int: ...
    def assembly(self) -> str: ...
    def intermediate(self) -> str: ...
    def key(
        self,
        *,
        hash: str = "poseidon16",
        preset: str | None = None,
        queries: int | None = None,
        blowup: int = 4,
    ) -> str: ...
    def run(
        self,
        public: _Ints | None = None,
        *,
        hints: Sequence[Hint] | None = None,
        limit: int = ...,
    ) -> Ran: ...
    def prove(
        self,
        public: _Ints | None = None,
        *,
        hash: str = "poseidon16",
        preset: str | None = None,
        queries: int | None = None,
        blowup: int = 4,
        hints: Sequence[Hint] | None = None,
        limit: int = ...,
    ) -> Proof: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Proof:
    @staticmethod
    def from_bytes(data: Bytes, /) -> Proof: ...
    @staticmethod
    def from_file(path: _Path, /) -> Proof: ...
    def to_bytes(self) -> bytes: ...
    def write(self, path: _Path, /) -> None: ...
    @property
    def hash(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def statement(self) -> list[int]: ...
    def verify(
        self,
        *,
        program: Program | None = None,
        key: str | None = None,
        public: _Ints | None = None,
        min_bits: int = 100,
        limit: int = ...,
    ) -> Verified: ...
    def inspect(self) -> Verified: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Aggregate:
    @staticmethod
    def from_bytes(data: Bytes, /) -> Aggregate: ...
    @staticmethod
    def from_file(path: _Path, /) -> Aggregate: ...
    def to_bytes(self) -> bytes: ...
    def write(self, path: _Path, /) -> None: ...
    @property
    def key(self) -> str: ...
    @property
    def claim(self) -> str: ...
    def verify(
        self,
        *,
        key: str,
        claim: str,
        min_bits: int = 100,
        min_tree_bits: int | None = None,
        leaves: Sequence[str] | None = None,
    ) -> Summary: ...
    def inspect(
        self, *, keys: Sequence[str] = ..., claimed: bool = False, cache: bool = True
    ) -> Summary: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

_Leaf = Aggregate | tuple[Proof, Program] | tuple[Proof, Program, _Ints]

@final
class Plan:
    def __new__(
        cls,
        leaves: Sequence[_Leaf],
        *,
        preset: str = "proven-100",
        arity: int | None = None,
        min_bits: int = 0,
        limit: int = ...,
        cache: bool = True,
    ) -> Plan: ...
    @property
    def preset(self) -> str: ...
    @property
    def arity(self) -> int: ...
    @property
    def leaves(self) -> list[str]: ...
    @property
    def tasks(self) -> list[Task]: ...
    @property
    def root(self) -> Input: ...
    @property
    def fft_cost(self) -> int: ...
    @property
    def critical_path(self) -> int: ...
    @property
    def memory(self) -> int: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str, /) -> Plan: ...
    def needed(self, store: Store, *, cache: bool = True) -> list[int]: ...
    def run(
        self,
        leaves: Sequence[Bytes],
        store: Store,
        *,
        jobs: int = 1,
        memory: int | None = None,
        progress: Callable[[int, int], object] | None = None,
        cache: bool = True,
    ) -> Aggregate: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Worker:
    def __new__(
        cls, *, preset: str = "proven-100", arity: int = 2, cache: bool = True
    ) -> Worker: ...
    def run(self, task: Task, inputs: Sequence[Bytes], /) -> bytes: ...
    def accept(self, input: Input, data: Bytes, /) -> Aggregate: ...
    def accept_result(self, task: Task, data: Bytes, /) -> Aggregate: ...

@final
class Store:
    def __new__(cls, folder: _Path, /) -> Store: ...
    @property
    def folder(self) -> Path: ...
    def get(self, name: str, /) -> bytes | None: ...
    def put(self, name: str, data: Bytes, /) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def wrap(
    proof: Proof | Aggregate,
    program: Program | None = None,
    public: _Ints | None = None,
    *,
    preset: str = "proven-100",
    arity: int = 2,
    limit: int = ...,
    keys: Sequence[str] = ...,
    cache: bool = True,
) -> Aggregate: ...
def join(
    aggregates: Sequence[Aggregate],
    *,
    preset: str = "proven-100",
    arity: int = 2,
    keys: Sequence[str] = ...,
    cache: bool = True,
) -> Aggregate: ...
def keys(
    sources: Sequence[Proof | Aggregate] = ...,
    *,
    join: Sequence[int] = ...,
    preset: str = "proven-100",
    arity: int = 2,
    cache: bool = True,
) -> Derived: ...
def cost_row(
    program: Program,
    public: _Ints,
    *,
    inner_hash: str,
    inner_preset: str | None,
    queries: int | None,
    blowup: int,
    outer_preset: str,
    outer_blowup: int,
    outer_hash: str,
    memory: int,
    execute_only: bool,
    canonical: bool,
    limit: int,
) -> CostRow: ...
def msm(curve: str, bases: Limbs, scalars: Limbs, /) -> Limbs: ...
def features() -> Features: ...
