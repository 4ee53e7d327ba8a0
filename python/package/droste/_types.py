"""Types of the dictionaries that functions return, with the fields of `--format json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

Source = dict[str, int]
"""`{"leaf": index}` or `{"task": index}`."""

Bytes = bytes | bytearray | memoryview | NDArray[np.uint8]
"""A message."""

Elements = NDArray[np.uint32]
"""Field elements: canonical integers below 2^31 - 2^24 + 1."""

Limbs = NDArray[np.uint64]
"""Integers as limbs of 64 bits, the lowest first."""

Hint = dict[str, Any]
"""`{"felt": x}`, `{"ext": [5 elements]}` or `{"slice": [[8 elements], ...]}`."""


class Ran(TypedDict):
    """What the run of a program gave."""

    outputs: list[int]
    cycles: int
    calls: dict[str, int]
    words: int
    blocks: int


class Table(TypedDict):
    """One table of a proof."""

    name: str
    height: int
    main: int
    preprocessed: int
    lookup: int
    degree: int
    fft_cost: int


class Term(TypedDict):
    """A source of error, its theorem, and the bits of security against it."""

    commitment: int | None
    name: str
    theorem: str
    bits: float


class Bound(TypedDict):
    """Every term of a bound; `bits` are those of the weakest term, rounded down."""

    bits: int
    weakest: str
    sum: float
    regime: str
    terms: list[Term]


class Security(TypedDict):
    """What is proven of a proof without ePrint 2026/2056 and with it."""

    without_eprint_2026_2056: Bound
    with_eprint_2026_2056: Bound
    digest_collision_bits: float


class Verified(TypedDict):
    """What a proof says."""

    key: str
    key_is: str
    hash: str
    statement: list[int]
    blowup: int
    queries: int
    proven_bits: int
    security: Security
    verify_ms: float
    proof_bytes: int
    fft_cost: int
    opened_per_query: int
    tables: list[Table]


class VerifiedHashes(TypedDict):
    """What a proof of calls shows."""

    hash: str
    calls: int
    proven_bits: int
    security: Bound
    verify_ms: float
    proof_bytes: int


class VerifiedPaths(VerifiedHashes):
    """What a proof of Merkle paths shows. Each node above a leaf is a call."""

    paths: int
    depth: int


class Step(TypedDict):
    """Figures of one wrap or join."""

    hash: str
    children: int
    canonical: bool
    cycles: int
    fft_cost: int
    compile_ms: float
    execute_ms: float
    prove_ms: float
    prove_cpu_ms: float
    verify_ms: float
    proven_bits: int


class RecursionKey(TypedDict):
    """A key of a recursion program."""

    key: str
    bits_of_children: int


class Leaf(TypedDict):
    """A proof of a program in the claim tree of an aggregate."""

    key: str
    statement: list[int]


class Inner(TypedDict):
    """A wrap or join in the claim tree of an aggregate."""

    key: str
    children: list[Inner | Leaf]


class FoldLeaf(TypedDict):
    """What a leaf of an aggregate says that is a fold."""

    key: str
    statement: list[int]
    counters: Counters
    state: list[list[int]]


class _Folds(TypedDict, total=False):
    folds: list[FoldLeaf]


class Summary(_Folds):
    """What an aggregate says. Its folds are there if claims opened them."""

    key: str
    key_is: str
    claim: str
    keys_are: str
    proven_bits: int
    tree_bits: int
    root_security: Security
    proofs: int
    blowup: int
    queries: int
    verify_ms: float
    proof_bytes: int
    peak_rss_bytes: int | None
    steps: list[Step]
    recursion_keys: list[RecursionKey]
    leaves: int
    accepted_leaves: list[str] | Literal["any"]
    hidden_leaves: list[str]
    tree: Inner


class DerivedKey(TypedDict):
    """A key that was derived."""

    key: str
    hash: str | None
    children: int
    bits_of_children: int


class Derived(TypedDict):
    """A set of derived keys and its digest."""

    key: str
    key_is: str
    keys: list[DerivedKey]
    digest_collision_bits: float
    derive_ms: float


class RootedLeaf(TypedDict):
    """A leaf under a leaf root. Both are 64 hexadecimal digits."""

    key: str
    statement: str


class LeafRoot(TypedDict):
    """What contracts need of a leaf root."""

    root: str
    leaf_count: int
    aggregate_key: str
    claim: str
    most_leaves: int
    recursion_keys_digest: str
    recursion_keys: list[str]
    program_key: str
    wrap_keys: list[str]
    join_key: str
    exit_key: str
    exit_statement: list[int]
    least_bits: int
    tree_bits: int
    leaves: list[RootedLeaf]


class Input(TypedDict):
    """An input of a task, or the root of a plan."""

    source: Source
    name: str
    leaves: str
    bits: int


class Estimate(TypedDict):
    """What a task takes; memory in bytes, without what the process needs besides."""

    cycles: int
    fft_cost: int
    memory: int
    exact: bool


class Task(TypedDict):
    """A pure function from the bytes of its inputs to the bytes of an aggregate."""

    name: str
    kind: str
    hash: str
    inputs: list[Input]
    leaves: str
    bits: int
    estimate: Estimate


class FoldRule(TypedDict):
    """A rule of a fold: its name, what it takes, and its key."""

    name: str
    takes: list[str]
    key: str


FoldRecipe = dict[str, Any]
"""What the keys of a fold are derived from, as `droste fold key -o` writes it."""


class Room(TypedDict):
    """Rows of a table: all, those that verifying the children takes, and the rest."""

    table: str
    rows: int
    verifier: int
    free: int


class Counters(TypedDict):
    """What is counted of the proofs of a fold."""

    rules: int
    behind: int
    depth: int


class Family(TypedDict):
    """The rules of a fold: their keys, ascending, and the bits of the proofs that they accept."""

    bits: int
    bits_behind: int
    keys: list[str]


class FoldClaim(TypedDict):
    """What a fold says, without its proof."""

    family: Family
    counters: Counters
    state: list[list[int]]


class _RuleName(TypedDict, total=False):
    rule_name: str


class FoldSummary(_RuleName):
    """What a fold says. The name of its rule is there if the rules are known."""

    key: str
    key_is: str
    keys_are: str
    rule: str
    rules: list[str]
    state: list[list[int]]
    statement: list[int]
    counters: Counters
    proofs: int
    proven_bits: int
    tree_bits: int
    bits_of_rules: int
    bits_behind: int
    root_security: Security
    blowup: int
    queries: int
    verify_ms: float
    proof_bytes: int
    peak_rss_bytes: int | None
    steps: list[Step]


class FoldTask(TypedDict):
    """A pure function from the bytes of its inputs to the bytes of an aggregate or a fold."""

    name: str
    kind: dict[str, Any]
    inputs: list[Source]
    hints: list[Hint]
    says: dict[str, Any]


class _OfRule(TypedDict):
    rule: str


class FoldCase(_OfRule, total=False):
    """What a rule is tested on."""

    nodes: Sequence[Mapping[str, Any]]
    leaves: Sequence[Sequence[int]]
    foreign: Sequence[Mapping[str, Any]]
    hints: Sequence[Hint]
    inputs: Sequence[str]
    fails: str


class HintPlace(TypedDict):
    """A lane of a hint of a rule's function, and the line of the rules that reads it."""

    hint: int
    lane: int
    line: int | None


class RuleAudit(TypedDict):
    """What false hints showed of a rule."""

    rule: str
    cycles: int
    rows: list[tuple[str, int]]
    lies: int
    refused: int
    inputs: list[HintPlace]
    no_effect: list[HintPlace]
    free: list[HintPlace]
    together: list[list[HintPlace]]
    glue: list[str]
    unread: list[dict[str, Any]]
    encoding: str | None


class RefusedCase(TypedDict):
    """A case that must fail, and what happened instead, if it did not."""

    case: int
    rule: str
    fails: str
    instead: str | None


class FoldTests(TypedDict):
    """What false hints showed of rules, and the rules of which there is no case they accept."""

    rules: list[RuleAudit]
    refused: list[RefusedCase]
    untested: list[str]


class PublicKey(TypedDict):
    """A public key."""

    root: list[int]
    public_param: list[int]


class SigningKey(PublicKey):
    """A public key, and what is left of its slots."""

    first_slot: int
    last_slot: int
    next_slot: int | None


class InvalidSignature(TypedDict):
    """A signature that is not valid."""

    index: int
    reason: str


class VerifiedSignatures(TypedDict):
    """Which signatures of a list are valid."""

    signatures: int
    invalid: list[InvalidSignature]


class _Signers(FoldSummary, total=False):
    keys: int
    signers: list[int]


class CheckedSigners(_Signers):
    """How many keys of a registry have signed a message in a slot, and the fold that shows it."""

    slot: int
    message: list[int]
    registry: str
    count: int
    signers_digest: str


class Kernels(TypedDict):
    """The kernels that are used."""

    field: str
    poseidon16: str
    blake3: str
    keccak: str
    msm: dict[str, str]


class Features(TypedDict):
    """What a build was made for, and which kernels it uses here."""

    version: str
    target_cpu: str
    target_features: list[str]
    kernels: Kernels
    threads: int


CostRow = dict[str, Any]
"""One row of figures: the fields that `droste cost --format json` prints."""
