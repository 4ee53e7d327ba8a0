//! The entry of recursion programs: verifies children of one shape, reveals the claim.

use std::fmt::Write as _;

use droste_native::F;

use crate::claim::CLAIM_TAG;
use crate::codegen::Evaluators;
use crate::shape::{ProofShape, integers};
use droste_vm::key::KEY_TAG;
use p3_field::PrimeField32;

/// The program that verifies `children` proofs of `shape`, made with keys whose digest's preimage
/// begins with `header`: all of it but the commitment to the program.
///
/// The program root of every child and its statement are hints. The root is bound by the key digest,
/// which the child's transcript begins with and the claim contains; the statement is bound by the
/// child's constraints and the claim.
pub fn recursion(
    shape: &ProofShape,
    evaluators: &Evaluators,
    header: &[F],
    children: usize,
) -> String {
    let mut text = super::verifier(shape, evaluators, children > 1);
    let roots = 1usize << shape.cap_levels(preprocessed_leaves(shape));
    let header_blocks = header.len() / 8;
    let digest_blocks = super::digest_blocks(shape.hash);
    let blocks = header_blocks + roots * digest_blocks;
    let _ = write!(
        text,
        "
/// What the keys of all children have in common.
const HEADER: [[u32; 8]; {header_blocks}] = {:?};

/// A block of constants.
fn constants(values: [u32; 8]) -> Block {{
    Block::new([
        Felt::new(values[0]),
        Felt::new(values[1]),
        Felt::new(values[2]),
        Felt::new(values[3]),
        Felt::new(values[4]),
        Felt::new(values[5]),
        Felt::new(values[6]),
        Felt::new(values[7]),
    ])
}}

/// The lanes of a block.
fn lanes(block: Block) -> [Felt; 8] {{
    let mut lanes = [Felt::ZERO; 8];
    for i in 0..8 {{
        lanes[i] = block.lane(i);
    }}
    lanes
}}

/// Verifies one proof; its key digest and its statement.
fn child() -> (Block, Block) {{
    // Bound by the key digest, which the claim contains.
    let root = hint_slice({root_blocks}).any();
    let mut key = [Block::ZERO; {blocks}];
    for i in 0..{header_blocks} {{
        key[i] = constants(HEADER[i]);
    }}
    for i in 0..{root_blocks} {{
        key[{header_blocks} + i] = root.block(i);
    }}
    let key = hash_blocks(Felt::new({key_tag}), key);
    // Bound by the constraints of the child and by the claim.
    let statement = hint_slice(1).any().block(0);
    verify(lanes(key), root, lanes(statement));
    (key, statement)
}}

/// Verifies every child and reveals the claim.
pub fn main() {{
    let mut claim = [Block::ZERO; {claim_blocks}];
    for i in 0..{children} {{
        let (key, statement) = child();
        claim[2 * i] = key;
        claim[2 * i + 1] = statement;
    }}
    let claim = hash_blocks(Felt::new({claim_tag}), claim);
    for i in 0..8 {{
        reveal(claim.lane(i));
    }}
}}
",
        header.chunks(8).map(integers).collect::<Vec<_>>(),
        root_blocks = roots * digest_blocks,
        claim_blocks = 2 * children,
        key_tag = KEY_TAG.as_canonical_u32(),
        claim_tag = CLAIM_TAG.as_canonical_u32(),
    );
    text
}

/// Logarithm of the leaves of the commitment to the preprocessed traces.
fn preprocessed_leaves(shape: &ProofShape) -> usize {
    let tallest = shape
        .tables
        .iter()
        .filter(|table| table.shape.preprocessed_width > 0)
        .map(|table| table.log_height)
        .max();
    tallest.unwrap_or(0) + shape.settings.log_blowup
}
