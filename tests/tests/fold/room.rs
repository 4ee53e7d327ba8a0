//! Room: what the functions of rules may use. That a program may be too long for its table is tested
//! in `verifier/src/fold/build/tests.rs`.

use std::collections::BTreeMap;

use droste_verifier::fold::{PaperChild, Room};

use super::*;

/// A function of more cycles than joins of one leave free.
const SUMS: &str = "
use droste_gadgets::fold::State;
use droste_gadgets::prelude::*;

pub struct Sum {
    pub sum: Felt,
}

impl State for Sum {
    const BLOCKS: usize = 1;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        vec![Block::new([self.sum, zero, zero, zero, zero, zero, zero, zero])]
    }

    fn of(blocks: &[Block]) -> Self {
        Self { sum: blocks[0].lane(0) }
    }
}

pub fn start() -> Sum {
    Sum { sum: Felt::ONE }
}

pub fn step(before: &Sum) -> Sum {
    let mut sum = before.sum;
    for i in count(6000) {
        sum = sum * sum + i;
    }
    Sum { sum }
}
";

/// Times that the function goes on.
const TIMES: u32 = 6_000;

fn sums() -> Source {
    Source::new("sums", SUMS).unwrap()
}

#[test]
fn a_function_too_large_is_told_what_to_ask_for() {
    let none = Tape::default();
    let joins = Fold::of(sums(), Preset::Toy).build().unwrap();
    let start = joins.prove("start", &[], &none).unwrap();
    let refused = joins.prove("step", &[Child::Node(&start)], &none);
    let error = refused.unwrap_err();
    let FoldError::Room { ref suggested, .. } = error else {
        panic!("{error}");
    };
    let words = error.to_string();
    assert!(words.starts_with("`step` takes "), "{words}");
    let option = format!("--room cpu={}", suggested["cpu"]);
    assert!(words.contains(&option), "{words}");
    // What the function takes of every table is known on paper.
    let node = PaperChild::Node {
        counters: start.counters(),
        state: start.state().to_vec(),
    };
    let run = joins.paper().run("step", &[node], &none).unwrap();
    let rows = joins.paper().rows("step", &run).unwrap();
    let mut rows: BTreeMap<String, usize> = rows.into_iter().collect();
    // There are as many of these as of `cpu`.
    rows.remove("program");
    assert!(rows["cpu"] > TIMES as usize);
    for (table, asked) in suggested {
        assert!((rows[table]..2 * rows[table]).contains(asked), "{words}");
    }

    // That is enough: every table that is too low is named.
    let room = Room::Least(suggested.clone());
    let builder = Fold::of(sums(), Preset::Toy).with_room(room);
    let fold = builder.build().unwrap();
    assert_ne!(fold.key(), joins.key());
    let start = fold.prove("start", &[], &none).unwrap();
    let step = fold.prove("step", &[Child::Node(&start)], &none).unwrap();
    let mut sum = F::ONE;
    for i in 0..TIMES {
        sum = sum * sum + F::from_u32(i);
    }
    let mut state = lanes(0);
    state[0] = sum;
    assert_eq!(start.state(), [numbers([1])]);
    assert_eq!(start.counters(), Counters::START);
    assert_eq!(step.state(), [state]);
    assert_eq!(step.counters(), counters(2, 0, 1));
    unverified(&step).verify(fold.key(), &ANY).unwrap();

    // The tables of the function are higher than those of joins, the others are not.
    let heights = fold.aggregator().log_heights();
    let of_joins = joins.aggregator().log_heights();
    assert!(heights[0] > of_joins[0], "{heights:?}");
    let mut both = heights.iter().zip(of_joins);
    assert!(both.all(|(own, of)| own >= of), "{heights:?}");
    let room = fold.room().unwrap();
    for table in &room {
        let asked = suggested.get(&table.table).copied().unwrap_or(0);
        assert!(table.free >= asked, "{table:?}, {asked} were asked for");
    }
    let cpu = room.iter().find(|table| table.table == "cpu").unwrap();
    assert_eq!(cpu.rows, 1 << heights[0]);
    assert_eq!(cpu.free, cpu.rows - cpu.verifier);
}
