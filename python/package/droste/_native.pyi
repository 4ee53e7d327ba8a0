from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

from numpy import uint8
from numpy.typing import NDArray

from droste._types import (
    Bytes,
    CheckedSigners,
    CostRow,
    Counters,
    Derived,
    Elements,
    Features,
    FoldCase,
    FoldClaim,
    FoldRecipe,
    FoldRule,
    FoldSummary,
    FoldTask,
    FoldTests,
    Hint,
    Input,
    LeafRoot,
    Limbs,
    Ran,
    Room,
    SigningKey,
    Summary,
    Task,
    Verified,
    VerifiedHashes,
    VerifiedPaths,
    VerifiedSignatures,
)

__all__ = [
    "Aggregate",
    "Blake3",
    "Fold",
    "FoldPlan",
    "Folded",
    "Keccak256",
    "MerkleTree",
    "Plan",
    "Poseidon16",
    "Program",
    "Proof",
    "Registry",
    "SignatureBatch",
    "SignatureFold",
    "SignedMessage",
    "Store",
    "StoredKey",
    "Worker",
    "commitment",
    "cost_row",
    "digest_to_limbs",
    "exit_proof",
    "features",
    "hash",
    "join",
    "keys",
    "msm",
    "prove_hashes",
    "prove_paths",
    "read_signatures",
    "rooted_exit_proof",
    "signatures_from_json",
    "signatures_to_json",
    "verify_hashes",
    "verify_paths",
    "verify_signatures",
    "wrap",
]

_Path = str | PathLike[str]
_Ints = Sequence[int] | Elements
_Paths = Sequence[tuple[Bytes, int, Bytes]]

def hash(hash: str, message: Bytes, /) -> bytes: ...
def commitment(elements: _Ints, /) -> list[int]: ...
def digest_to_limbs(digest: Bytes, /) -> list[int]: ...
def prove_hashes(hash: str, inputs: Sequence[Bytes], /) -> tuple[list[bytes], bytes]: ...
def verify_hashes(
    hash: str,
    calls: Sequence[tuple[Bytes, Bytes]],
    proof: Bytes,
    /,
    *,
    min_bits: int = 100,
) -> VerifiedHashes: ...
def prove_paths(
    hash: str,
    depth: int,
    paths: _Paths,
    siblings: Sequence[Sequence[Bytes]],
    /,
) -> bytes: ...
def verify_paths(
    hash: str,
    depth: int,
    paths: _Paths,
    proof: Bytes,
    /,
    *,
    min_bits: int = 100,
) -> VerifiedPaths: ...

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
        stack: str | None = None,
        preset: str | None = None,
        queries: int | None = None,
        blowup: int = 4,
        log_block: int | None = None,
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
        stack: str | None = None,
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
    def __bytes__(self) -> bytes: ...
    def write(self, path: _Path, /) -> None: ...
    @property
    def hash(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def statement(self) -> list[int]: ...
    def verify(
        self,
        program: Program | None = None,
        *,
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
    def __bytes__(self) -> bytes: ...
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
        leaves: Sequence[str | Program] | None = None,
        any_leaf: bool = False,
        limit: int = ...,
        fold_claims: Sequence[FoldClaim] | None = None,
        fold_keys: Sequence[str] = ...,
    ) -> Summary: ...
    def inspect(
        self, *, keys: Sequence[str] = ..., claimed: bool = False, cache: bool = True
    ) -> Summary: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

_Leaf = Aggregate | tuple[Proof, Program] | tuple[Proof, Program, _Ints] | tuple[Folded, str | Fold]

@final
class Plan:
    def __new__(
        cls,
        leaves: Sequence[_Leaf],
        *,
        preset: str = "proven-120",
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
        cls,
        *,
        preset: str = "proven-120",
        arity: int = 2,
        cache: bool = True,
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

_Sample = Proof | Aggregate
_FoldPrograms = Sequence[Program | tuple[Program | _Sample, ...]]
_State = Sequence[_Ints] | Elements
_Said = list[list[list[int]] | list[int]]
_Hints = Callable[[str, _Said, list[range]], Sequence[Hint] | None]
_FoldLeaves = Sequence[_Sample | tuple[_Sample, Sequence[Hint]]]

@final
class Fold:
    @staticmethod
    def from_file(
        path: _Path,
        /,
        *,
        leaves: _FoldPrograms = ...,
        folds: Sequence[Fold | tuple[Any, ...]] = ...,
        preset: str | None = None,
        room: Mapping[str, int] | None = None,
        recipe: FoldRecipe | None = None,
        cache: bool = True,
    ) -> Fold: ...
    @staticmethod
    def compile(
        text: str,
        *,
        name: str,
        leaves: _FoldPrograms = ...,
        folds: Sequence[Fold | tuple[Any, ...]] = ...,
        preset: str | None = None,
        room: Mapping[str, int] | None = None,
        recipe: FoldRecipe | None = None,
        cache: bool = True,
    ) -> Fold: ...
    @staticmethod
    def _unpickle(text: str, /) -> Fold: ...
    @property
    def key(self) -> str: ...
    @property
    def rules(self) -> list[FoldRule]: ...
    @property
    def blocks(self) -> int: ...
    @property
    def recipe(self) -> FoldRecipe: ...
    @property
    def memory(self) -> int: ...
    def room(self) -> list[Room]: ...
    def prove(
        self,
        rule: str,
        children: Sequence[Folded | _Sample],
        *,
        hints: Sequence[Hint] | None = None,
    ) -> Folded: ...
    def plan(
        self,
        leaves: _FoldLeaves = ...,
        *,
        hints: _Hints | None = None,
        merge: str | None = None,
        leaf_rules: Sequence[str] = ...,
        append: str | None = None,
        start: str | None = None,
        start_hints: Sequence[Hint] | None = None,
        repeat: tuple[str, int] | None = None,
    ) -> FoldPlan: ...
    def all(
        self,
        leaves: _FoldLeaves = ...,
        *,
        hints: _Hints | None = None,
        merge: str | None = None,
        leaf_rules: Sequence[str] = ...,
        append: str | None = None,
        start: str | None = None,
        start_hints: Sequence[Hint] | None = None,
        repeat: tuple[str, int] | None = None,
        store: _Path | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Folded: ...
    def needed(self, plan: FoldPlan, store: Store, /) -> list[int]: ...
    def run(self, task: FoldTask, inputs: Sequence[Bytes], /) -> bytes: ...
    def is_result(self, task: FoldTask, data: Bytes, /) -> bool: ...
    def test(self, cases: Sequence[FoldCase], *, lies: int = 1000) -> FoldTests: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Folded:
    @staticmethod
    def from_bytes(data: Bytes, /) -> Folded: ...
    @staticmethod
    def from_file(path: _Path, /) -> Folded: ...
    def to_bytes(self) -> bytes: ...
    def __bytes__(self) -> bytes: ...
    def write(self, path: _Path, /) -> None: ...
    @property
    def key(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def counters(self) -> Counters: ...
    @property
    def state(self) -> list[list[int]]: ...
    def verify(
        self,
        key: str | Fold,
        *,
        state: _State | None = None,
        min_bits: int = 100,
        min_tree_bits: int | None = None,
        max_proofs: int | None = None,
        max_depth: int | None = None,
    ) -> list[list[int]]: ...
    def inspect(self, key: str | Fold | None = None) -> FoldSummary: ...
    def claim(self) -> FoldClaim: ...
    def wrap(self, key: str | Fold, *, preset: str = "proven-120", arity: int = 2) -> Aggregate: ...
    def exit_proof(
        self,
        key: str | Fold,
        *,
        exit_preset: str = "proven-120",
        preset: str = "proven-120",
        arity: int = 2,
    ) -> Proof: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class FoldPlan:
    @property
    def tasks(self) -> list[FoldTask]: ...
    @property
    def root(self) -> int: ...
    @property
    def state(self) -> list[list[int]]: ...
    @property
    def counters(self) -> Counters: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str, /) -> FoldPlan: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class StoredKey:
    @staticmethod
    def create(
        folder: _Path, *, first_slot: int = 0, slots: int = ..., witness: _Path | None = None
    ) -> StoredKey: ...
    @staticmethod
    def open(folder: _Path, *, witness: _Path | None = None) -> StoredKey: ...
    @property
    def public_key(self) -> bytes: ...
    def inspect(self) -> SigningKey: ...
    def sign(self, slot: int, message: _Ints) -> SignedMessage: ...
    def spend(self, slot: int) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> StoredKey: ...
    def __exit__(self, *_raised: object) -> None: ...

@final
class SignedMessage:
    def __new__(
        cls, public_key: Bytes, slot: int, message: _Ints, signature: Bytes
    ) -> SignedMessage: ...
    @property
    def public_key(self) -> bytes: ...
    @property
    def slot(self) -> int: ...
    @property
    def message(self) -> list[int]: ...
    @property
    def signature(self) -> bytes: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Registry:
    def __new__(cls, keys: Sequence[Bytes], /) -> Registry: ...
    @staticmethod
    def from_json(text: str, /) -> Registry: ...
    @staticmethod
    def from_file(path: _Path, /) -> Registry: ...
    def to_json(self) -> str: ...
    @property
    def keys(self) -> list[bytes]: ...
    @property
    def root(self) -> str: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class SignatureBatch:
    def __new__(cls, registry: Registry, signed: Sequence[SignedMessage]) -> SignatureBatch: ...
    @property
    def signers(self) -> list[int]: ...
    @property
    def signed(self) -> list[SignedMessage]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class SignatureFold:
    def __new__(
        cls,
        registry: Registry,
        *,
        preset: str = "proven-120",
        batch: int = 400,
        cache: bool = True,
    ) -> SignatureFold: ...
    @staticmethod
    def _unpickle(registry: Registry, preset: str, batch: int, cache: bool) -> SignatureFold: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def batch(self) -> int: ...
    @property
    def key(self) -> str: ...
    @property
    def fold(self) -> Fold: ...
    @property
    def memory(self) -> int: ...
    def batches(self, signed: Sequence[SignedMessage], /) -> list[SignatureBatch]: ...
    def prove(self, batch: SignatureBatch, *, store: Store | None = None) -> Proof: ...
    def kept(self, batch: SignatureBatch, store: Store, /) -> Proof | None: ...
    def name(self, batch: SignatureBatch, /) -> str: ...
    def plan(self, batches: Sequence[SignatureBatch], proofs: Sequence[Proof], /) -> FoldPlan: ...
    def all(
        self,
        batches: Sequence[SignatureBatch],
        proofs: Sequence[Proof],
        *,
        store: Store,
        progress: Callable[[int, int], object] | None = None,
    ) -> Folded: ...
    def unite(
        self,
        left: tuple[Folded, Sequence[int]],
        right: tuple[Folded, Sequence[int]],
        /,
        *,
        max_proofs: int | None = None,
        max_depth: int | None = None,
    ) -> tuple[Folded, list[int]]: ...
    def check(
        self,
        folded: Folded,
        slot: int,
        message: _Ints,
        *,
        min_signers: int = 1,
        signers: Sequence[int] | None = None,
        min_bits: int = 100,
        min_tree_bits: int | None = None,
        max_proofs: int | None = None,
        max_depth: int | None = None,
    ) -> CheckedSigners: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def read_signatures(path: _Path, /) -> list[SignedMessage]: ...
def signatures_from_json(text: str, /) -> list[SignedMessage]: ...
def signatures_to_json(signed: Sequence[SignedMessage], /) -> str: ...
def verify_signatures(signed: Sequence[SignedMessage], /) -> VerifiedSignatures: ...
def wrap(
    proof: Proof | Aggregate,
    program: Program | None = None,
    public: _Ints | None = None,
    *,
    preset: str = "proven-120",
    arity: int = 2,
    limit: int = ...,
    keys: Sequence[str] = ...,
    cache: bool = True,
) -> Aggregate: ...
def join(
    aggregates: Sequence[Aggregate],
    *,
    preset: str = "proven-120",
    arity: int = 2,
    keys: Sequence[str] = ...,
    cache: bool = True,
) -> Aggregate: ...
def exit_proof(
    aggregate: Aggregate,
    *,
    exit_preset: str = "proven-120",
    preset: str = "proven-120",
    arity: int = 2,
    keys: Sequence[str] = ...,
    cache: bool = True,
) -> Proof: ...
def rooted_exit_proof(
    aggregate: Aggregate,
    *,
    exit_preset: str = "proven-120",
    preset: str = "proven-120",
    arity: int = 2,
    keys: Sequence[str] = ...,
    cache: bool = True,
) -> tuple[Proof, LeafRoot]: ...
def keys(
    sources: Sequence[Proof | Aggregate] = ...,
    *,
    join: Sequence[int] = ...,
    preset: str = "proven-120",
    arity: int = 2,
    cache: bool = True,
) -> Derived: ...
def cost_row(
    program: Program,
    public: _Ints,
    hints: Sequence[Hint],
    *,
    inner_hash: str,
    inner_stack: str | None,
    inner_preset: str | None,
    queries: int | None,
    blowup: int,
    outer_preset: str,
    memory: int,
    execute_only: bool,
    canonical: bool,
    limit: int,
    only_check: bool,
) -> CostRow | None: ...
def msm(curve: str, bases: Limbs, scalars: Limbs, /) -> Limbs: ...
def features() -> Features: ...
