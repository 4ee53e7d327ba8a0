//! Where columns lie, and tables that do not fit.

use proptest::prelude::*;

use super::*;
use crate::whir::layout::MAX_ROW_VARIABLES;

#[test]
fn a_layout_by_hand() {
    let layout = Layout::new(&mixed(), 8).unwrap();
    // Main regions, by size: table 1 (4 slots of 256), table 2 (32 slots of 16), table 0 (8 slots
    // of 32), table 4 (128).
    let main: Vec<_> = layout.tables().iter().map(|table| table.main).collect();
    let region = |offset, log_slots, log_height, width| {
        Some(Region {
            offset,
            log_slots,
            log_height,
            width,
        })
    };
    assert_eq!(main[1], region(0, 2, 8, 3));
    assert_eq!(main[2], region(1024, 5, 4, 20));
    assert_eq!(main[0], region(1536, 3, 5, 7));
    assert_eq!(main[3], None);
    assert_eq!(main[4], region(1792, 0, 7, 1));
    // They end at 1920, so preprocessed regions start at 2048: tables 1 and 4 (512 each), 3, 2.
    let preprocessed: Vec<_> = layout
        .tables()
        .iter()
        .map(|table| table.preprocessed)
        .collect();
    assert_eq!(preprocessed[0], None);
    assert_eq!(preprocessed[1], region(2048, 1, 8, 2));
    assert_eq!(preprocessed[4], region(2560, 2, 7, 3));
    assert_eq!(preprocessed[3], region(3072, 0, 8, 1));
    assert_eq!(preprocessed[2], region(3328, 0, 4, 1));
    assert_eq!(layout.variables(), 12);
    assert_eq!(layout.row_variables(), 4);
    // The fourth slot of table 1 and the last 192 slots of table 2 are padding.
    assert_eq!(layout.main_rows(), [0, 1, 2, 4, 5, 6, 7]);
    assert_eq!(layout.preprocessed_rows(), [8, 9, 10, 11, 12, 13]);
    assert_eq!(layout.main_column(1, 2), Some(512..768));
    assert_eq!(
        layout.main_column(2, 17),
        Some(1024 - 256 + 16 * 17..1024 - 256 + 16 * 18)
    );
    assert_eq!(layout.main_column(4, 0), Some(1536..1664));
    assert_eq!(layout.preprocessed_column(2, 0), Some(1280..1296));
    for (table, column) in [(1, 3), (3, 0), (5, 0), (usize::MAX, 0), (0, usize::MAX)] {
        assert_eq!(layout.main_column(table, column), None);
    }
    assert_eq!(layout.preprocessed_column(0, 0), None);
}

#[test]
fn stacks_have_at_least_two_rows() {
    for (shapes, rows) in [
        (vec![shape(4, 1, 0)], 1),
        (vec![shape(8, 1, 0)], 1),
        (vec![shape(8, 2, 0)], 1),
        (vec![shape(8, 1, 1)], 1),
        (vec![shape(8, 2, 1)], 2),
        (vec![shape(8, 256, 0)], 8),
        (vec![shape(8, 128, 0), shape(8, 0, 128)], 8),
    ] {
        assert_eq!(Layout::new(&shapes, 8).unwrap().row_variables(), rows);
    }
}

#[test]
fn tables_that_do_not_fit_are_errors() {
    let cells = Err(LayoutError::Cells { max: 19 });
    for (shapes, expected) in [
        (vec![], Err(LayoutError::NoColumns)),
        (vec![shape(8, 0, 3)], Err(LayoutError::NoColumns)),
        (vec![shape(8, 2049, 0)], cells.clone()),
        (vec![shape(8, 1024, 0), shape(7, 2049, 0)], cells.clone()),
        (vec![shape(8, 1025, 1)], cells.clone()),
        (vec![shape(4, usize::MAX, 0)], cells.clone()),
        (vec![shape(4, 1, 1 << 62)], cells.clone()),
        (vec![shape(4, 1, (1 << 62) + 1), shape(4, 1, 0)], cells),
    ] {
        assert_eq!(Layout::new(&shapes, 8), expected);
    }
    for log_height in [0, 3, 9, 63, 64, usize::MAX] {
        let expected = LayoutError::Height {
            table: 1,
            log_height,
            max: 8,
        };
        let shapes = [shape(8, 1, 0), shape(log_height, 0, 0)];
        assert_eq!(Layout::new(&shapes, 8), Err(expected));
    }
    for log_block in [0, 3, 21, 64, usize::MAX] {
        let expected = Err(LayoutError::Block { log_block });
        assert_eq!(Layout::new(&[shape(4, 1, 0)], log_block), expected);
    }
}

proptest! {
    /// Columns do not overlap, lie where their region says, and rows are present exactly if a
    /// column lies in them.
    #[test]
    fn columns_do_not_overlap(
        shapes in proptest::collection::vec((4_usize..=6, 0_usize..40, 0_usize..9), 1..6),
    ) {
        let shapes: Vec<TableShape> = shapes.into_iter().map(|(m, w, p)| shape(m, w, p)).collect();
        let layout = match Layout::new(&shapes, 6) {
            Ok(layout) => layout,
            Err(error) => {
                let main: usize = shapes.iter().map(|shape| shape.width).sum();
                let too_large = matches!(error, LayoutError::Cells { .. });
                prop_assert!(too_large || main == 0);
                return Ok(());
            }
        };
        prop_assert!((1..=MAX_ROW_VARIABLES).contains(&layout.row_variables()));
        let mut owner = vec![None; 1 << layout.variables()];
        for (kind, rows) in [layout.main_rows(), layout.preprocessed_rows()].iter().enumerate() {
            for (table, (shape, regions)) in zip(&shapes, layout.tables()).enumerate() {
                let (width, region) = match kind {
                    0 => (shape.width, regions.main),
                    _ => (shape.preprocessed_width, regions.preprocessed),
                };
                prop_assert_eq!(width == 0, region.is_none());
                for column in 0..width {
                    let region = region.unwrap();
                    let cells = match kind {
                        0 => layout.main_column(table, column),
                        _ => layout.preprocessed_column(table, column),
                    };
                    let cells = cells.unwrap();
                    prop_assert_eq!(cells.len(), 1 << shape.log_height);
                    let row = rows[cells.start >> 6];
                    let position = (row << 6) + cells.start % 64;
                    prop_assert_eq!(position, region.position(column, 0));
                    prop_assert_eq!(region.offset % (1 << region.log_size()), 0);
                    for cell in &mut owner[position..][..cells.len()] {
                        prop_assert_eq!(cell.replace(kind), None);
                    }
                }
            }
        }
        for (row, cells) in owner.chunks_exact(64).enumerate() {
            for (kind, rows) in [layout.main_rows(), layout.preprocessed_rows()].iter().enumerate() {
                prop_assert_eq!(rows.contains(&row), cells.contains(&Some(kind)));
            }
        }
    }
}
