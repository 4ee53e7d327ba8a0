//! What follows a table's last row.

/// What counts as the row after a table's last one.
///
/// Constraints that read the next row hold on the last row, too, unless they say otherwise
/// (`when_transition`). What they read there depends on the proof system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Row 0: the rows form a ring. So it is in batch STARKs over FRI, where rows are the points of
    /// a subgroup.
    Ring,
    /// The last row itself. So it is in `p3-multi-stark`, where rows are the corners of a cube.
    Repeat,
}

impl End {
    /// Returns the index of the row that follows row `index` in a table of `height` rows.
    pub const fn next(self, index: usize, height: usize) -> usize {
        if index + 1 < height {
            return index + 1;
        }
        match self {
            Self::Ring => 0,
            Self::Repeat => index,
        }
    }
}
