//! Estimates what a proof takes of memory, before anything is proved.

use droste_native::field::EXTENSION_DEGREE;
use droste_native::whir::Scheme;
use droste_native::{F, FriSettings, HashSuite};
use droste_vm::report::TableReport;
use droste_vm::whir::system::Shape;

/// Bytes of an element of the base field.
const ELEMENT: usize = size_of::<F>();

/// Bytes of a digest, in every hash.
const DIGEST: usize = 32;

/// Bytes for each row of the tallest low-degree extension: the Merkle trees of main, lookup and
/// quotient columns, which have two digests per row; and what openings keep, which is the point of
/// the domain and four elements of the extension field (the inverses of its distances to the two
/// opening points, the polynomial that FRI folds, and that of the tables of other heights).
const ROW: usize = 3 * 2 * DIGEST + (1 + 4 * EXTENSION_DEGREE) * ELEMENT;

/// Bytes for each main column: the symbolic form of the constraints on it, from which the prover
/// learns their degrees. Only tables of thousands of columns make it visible.
const COLUMN: usize = 8 << 10;

/// What a process takes besides: its code, the program, the record of its run, and what the
/// allocator keeps of what was freed before.
const PROCESS: usize = 80 << 20;

/// Base field columns that the prover over FRI extends for one table: main, lookup and quotient
/// columns.
fn extended_width(table: &TableReport) -> usize {
    table.shape.main_width + table.lookup_width() + table.quotient_width()
}

/// Estimates the bytes of memory that a proof of these tables needs, which is most when it is
/// opened: traces, all low-degree extensions, something for each row of the tallest one and for
/// each main column, what the process takes besides, and a sixteenth more, so that the estimate
/// is rather too high than too low.
pub fn estimated_bytes(tables: &[TableReport], settings: &FriSettings) -> usize {
    let width = |table: &TableReport| extended_width(table) + table.shape.preprocessed_width;
    let extensions: usize = tables
        .iter()
        .map(|table| (width(table) * table.height() * ELEMENT) << settings.log_blowup)
        .sum();
    let traces = tables.iter();
    let traces = traces.map(|table| table.shape.main_width * table.height() * ELEMENT);
    let traces: usize = traces.sum();
    let heights = tables.iter().map(TableReport::height);
    let rows = heights.max().unwrap_or(0) << settings.log_blowup;
    let columns: usize = tables.iter().map(|table| table.shape.main_width).sum();
    let bytes = traces + extensions + rows * ROW + columns * COLUMN + PROCESS;
    bytes + bytes / 16
}

/// Estimates the bytes of memory that a proof over WHIR of tables of this shape needs: traces,
/// cells and codewords of the stack, its Merkle trees, what the process takes besides, and the
/// larger of two things that are not needed at the same time: the fractions of the messages, and
/// the columns after the first round of the constraints' sumcheck, which are half as long and in
/// the extension field; rather too much than too little.
pub fn estimated_bytes_over_whir<H: HashSuite>(scheme: &Scheme<H>, shape: &Shape) -> usize {
    let layout = scheme.layout();
    let step = &scheme.schedule().stack;
    let cells = layout.main_cells() + layout.preprocessed_cells();
    let codewords = (cells * ELEMENT) << step.log_blowup;
    let trees = (2 * 2 * DIGEST) << step.log_leaves;
    let leaves = shape.num_leaves() * (1 + EXTENSION_DEGREE) * ELEMENT;
    // Numerators and denominators. The layer above the leaves is not stored; the next has a quarter
    // of the leaves' number, and those above it together as many.
    let layers = (2 * 2 * EXTENSION_DEGREE * ELEMENT) << shape.log_leaves() >> 2;
    let columns = cells / 2 * EXTENSION_DEGREE * ELEMENT;
    let traces = layout.main_cells() * ELEMENT;
    let stages = (leaves + layers).max(columns);
    let bytes = traces + cells * ELEMENT + codewords + trees + stages + PROCESS;
    bytes + bytes / 16
}
