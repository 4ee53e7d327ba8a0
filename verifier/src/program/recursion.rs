//! The entries of recursion programs: children are verified, the claim is revealed.

use std::fmt::Write as _;

use droste_native::F;
use droste_vm::key::KEY_TAG;
use p3_field::PrimeField32;

use crate::claim::{CLAIM_TAG, PUBLIC_TAG};
use crate::codegen::Evaluators;
use crate::driver::AIR_KEY_TAG;
use crate::shape::{ProofShape, integers};

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
    let mut text = super::verifier(shape, evaluators);
    constants(&mut text, header);
    text.push_str(
        "
/// Verifies one proof; its key digest and its statement.
fn child() -> (Block, Block) {
",
    );
    key(&mut text, shape, header, KEY_TAG);
    text.push_str(
        "    // Bound by the constraints of the child and by the claim.
    let statement = hint_slice(1).any().block(0);
    verify(lanes(key), root, lanes(statement));
    (key, statement)
}
",
    );
    main(&mut text, children);
    text
}

/// The program that verifies one proof of `shape`, of AIRs whose key digest's preimage begins with
/// `header`: all of it but the commitment to the preprocessed traces.
///
/// That commitment and the public values are hints. The commitment is bound by the transcript and by
/// the key digest in the claim, and public values by the constraints and by the statement in the claim:
/// their hash, in order, padded with zeros to whole blocks.
pub fn airs(shape: &ProofShape, evaluators: &Evaluators, header: &[F]) -> String {
    let mut text = super::verifier(shape, evaluators);
    constants(&mut text, header);
    text.push_str(
        "
/// Verifies one proof; its key digest and its statement.
fn child() -> (Block, Block) {
",
    );
    key(&mut text, shape, header, AIR_KEY_TAG);
    let count = shape.public_values();
    let blocks = count.div_ceil(8).max(1);
    let mut arguments = match shape.seed {
        0 => "[]".to_owned(),
        _ => "lanes(key)".to_owned(),
    };
    if shape.has_preprocessed() {
        arguments.push_str(", root");
    }
    let _ = writeln!(
        text,
        "    let mut statement = [Block::ZERO; {blocks}];
    let mut values = [Felt::ZERO; {}];",
        8 * blocks
    );
    if count > 0 {
        let _ = write!(
            text,
            "    // Bound by the constraints of the child and by the claim.
    let public = hint_slice({blocks}).any();
    for i in 0..{blocks} {{
        statement[i] = public.block(i);
        for lane in 0..8 {{
            values[8 * i + lane] = statement[i].lane(lane);
        }}
    }}
    for i in {count}..{} {{
        assert_eq!(values[i], Felt::ZERO);
    }}
",
            8 * blocks
        );
    }
    let mut at = 0;
    for table in &shape.tables {
        let (name, count) = (&table.name, table.shape.num_public_values);
        if count > 0 {
            let _ = write!(
                text,
                "    let mut public_{name} = [Felt::ZERO; {count}];
    for i in 0..{count} {{
        public_{name}[i] = values[{at} + i];
    }}
",
            );
            let _ = write!(arguments, ", public_{name}");
            at += count;
        }
    }
    let _ = write!(
        text,
        "    verify({arguments});
    (key, hash_blocks(Felt::new({}), statement))
}}
",
        PUBLIC_TAG.as_canonical_u32()
    );
    main(&mut text, 1);
    text
}

/// The part of keys that is constant, and functions on blocks.
fn constants(text: &mut String, header: &[F]) {
    let _ = write!(
        text,
        "
/// What the keys of all children have in common.
const HEADER: [[u32; 8]; {}] = {:?};

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
",
        header.len() / 8,
        header.chunks(8).map(integers).collect::<Vec<_>>(),
    );
}

/// Declares `key`, the digest of a child's key, and `root`, the commitment to the child's preprocessed
/// traces, if there are any.
fn key(text: &mut String, shape: &ProofShape, header: &[F], tag: F) {
    let header_blocks = header.len() / 8;
    let root_blocks = shape.preprocessed_digests() * super::digest_blocks(shape.hash);
    if root_blocks > 0 {
        let _ = writeln!(
            text,
            "    // Bound by the key digest, which the claim contains.
    let root = hint_slice({root_blocks}).any();"
        );
    }
    let _ = write!(
        text,
        "    let mut key = [Block::ZERO; {}];
    for i in 0..{header_blocks} {{
        key[i] = constants(HEADER[i]);
    }}
",
        header_blocks + root_blocks
    );
    if root_blocks > 0 {
        let _ = write!(
            text,
            "    for i in 0..{root_blocks} {{
        key[{header_blocks} + i] = root.block(i);
    }}
"
        );
    }
    let _ = writeln!(
        text,
        "    let key = hash_blocks(Felt::new({}), key);",
        tag.as_canonical_u32()
    );
}

/// The entry.
fn main(text: &mut String, children: usize) {
    let _ = write!(
        text,
        "
/// Verifies every child and reveals the claim.
pub fn main() {{
    let mut claim = [Block::ZERO; {}];
    for i in 0..{children} {{
        let (key, statement) = child();
        claim[2 * i] = key;
        claim[2 * i + 1] = statement;
    }}
    let claim = hash_blocks(Felt::new({}), claim);
    for i in 0..8 {{
        reveal(claim.lane(i));
    }}
}}
",
        2 * children,
        CLAIM_TAG.as_canonical_u32(),
    );
}
