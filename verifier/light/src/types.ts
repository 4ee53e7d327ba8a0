/** What the caller expects; none of it may come from whoever sent the file. */
export interface Expected {
  /** Digest of the recursion keys, in hexadecimal, as `droste keys` prints it. */
  key: string;
  /** What the aggregate must claim, in hexadecimal. */
  claim: string;
  /** The keys that leaves may have, as `droste key` prints them. */
  leaves: string[] | "any";
  /** Proven bits that every proof must have, 100 if it is missing. */
  min_bits?: number;
  /** Proven bits that all proofs must have together, 100 if it is missing, none if `min_bits` is below 100. */
  min_tree_bits?: number;
}

/** What the caller expects of a fold; none of it may come from whoever sent the file. */
export interface FoldExpected {
  /** The fold key, in hexadecimal, as `droste fold key` prints it. */
  key: string;
  /** The state: blocks of eight integers. With `any`, look at that of the result. */
  state: number[][] | "any";
  /** Proven bits that every proof must have, 100 if it is missing. */
  min_bits?: number;
  /** Proven bits that all proofs must have together, 100 if it is missing, none if `min_bits` is below 100. */
  min_tree_bits?: number;
  /** Largest number of proofs that the root stands for, itself included. */
  max_proofs?: number;
  /** Largest number of levels of rules below the root. */
  max_depth?: number;
}

/** What every function throws. */
export interface Refusal extends Error {
  name: "Refusal";
  /** What is wrong; `expected` if it is what the caller expects that cannot be read. */
  kind: "expected" | "file" | "key" | "claim" | "leaf" | "bits" | "tree" | "proof" | "rule" | "state";
}

/** Bits of every event on which the soundness of a proof rests. */
export interface Bound {
  bits: number;
  weakest: string;
  sum: number;
  regime: string;
  terms: { [field: string]: unknown }[];
}

/** A proof of the tree: a leaf with its statement, or a recursion proof with its children. */
export type TreeNode = { key: string; statement: number[] } | { key: string; children: TreeNode[] };

/** What an accepted aggregate says. */
export interface Aggregate {
  key: string;
  claim: string;
  /** `claimed` if only the file lists the recursion keys. */
  keys_are: "pinned" | "claimed";
  proven_bits: number;
  tree_bits: number;
  root_security: { without_eprint_2026_2056: Bound; with_eprint_2026_2056: Bound; digest_collision_bits: number };
  proofs: number;
  blowup: number;
  queries: number;
  verify_ms: number;
  proof_bytes: number;
  recursion_keys: { key: string; bits_of_children: number }[];
  leaves: number;
  accepted_leaves: string[] | "any";
  hidden_leaves: string[];
  tree: TreeNode;
}

/** A leaf that is in a claim. */
export interface Member {
  key: string;
  statement: number[];
  /** On each level below the root, the number of the child that leads to the leaf, from 0. */
  position: number[];
  proven_bits: number;
}

/** What an accepted fold says. */
export interface Fold {
  key: string;
  /** `claimed` if only the file lists the rules. */
  keys_are: "pinned" | "claimed";
  /** Key of the rule at the root. */
  rule: string;
  rules: string[];
  /** Blocks of eight integers. */
  state: number[][];
  statement: number[];
  /** Proofs of canonical shape, proofs behind wraps, levels of rules below the root. */
  counters: { rules: number; behind: number; depth: number };
  proofs: number;
  proven_bits: number;
  tree_bits: number;
  bits_of_rules: number;
  bits_behind: number;
  root_security: { without_eprint_2026_2056: Bound; with_eprint_2026_2056: Bound; digest_collision_bits: number };
  blowup: number;
  queries: number;
  verify_ms: number;
  proof_bytes: number;
}
