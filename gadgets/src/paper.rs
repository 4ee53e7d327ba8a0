//! Rules of a fold on paper, for rustc: the `main` of a rule whose children are not verified.
//!
//! `droste_verifier::fold` writes the same `main` for the machine's compiler. This module is no
//! zk-DSL. A test compares both runs of a rule (`droste::both_ways::Rule`).

/// Key of rule number `rule` of a list that is on paper only.
pub const fn rule_key(rule: u32) -> [u32; 8] {
    [rule + 1; 8]
}

/// Keys of leaf number `leaf` on paper: that of its one wrap, and then the program's.
pub const fn path(leaf: u32) -> [[u32; 8]; 2] {
    let wrap = 0x1000 + 2 * leaf;
    [[wrap; 8], [wrap + 1; 8]]
}

/// The body of a rule's `main` on paper: reads the list of rules and all children, opens what they
/// say, calls the function, and reveals the state.
///
/// ```
/// use droste_gadgets::paper;
/// use droste_gadgets::paper::path;
/// # mod chain {
/// #     use droste_gadgets::fold::{Leaf, State};
/// #     use droste_gadgets::prelude::*;
/// #     pub struct Span(Block);
/// #     impl State for Span {
/// #         const BLOCKS: usize = 1;
/// #         fn blocks(&self) -> Vec<Block> { vec![self.0] }
/// #         fn of(blocks: &[Block]) -> Self { Self(blocks[0]) }
/// #     }
/// #     pub fn merge(left: &Span, _right: &Span) -> Span { Span(left.0) }
/// #     pub fn append(before: &Span, leaf: &Leaf<0>) -> Span {
/// #         Span(poseidon16_compress(before.0, leaf.statement))
/// #     }
/// # }
///
/// fn merge() {
///     paper!(chain, Span, rules = 2, merge(node, node));
/// }
///
/// fn append() {
///     paper!(chain, Span, rules = 2, append(node, leaf 0 = path(0)));
/// }
/// # let _ = (merge, append);
/// ```
///
/// The file of the rules is a module that is in scope. A parameter of the function is one of
///
/// - `node`: a proof of this fold;
/// - `leaf I = PATH`: a proof of the accepted program of number `I`, under these keys, such as
///   [`path(I)`](crate::paper::path); `calling leaf I = PATH` if the program has calls in a binary
///   proof, which counts as a proof;
/// - `fold I = (STATE, RULES, DIGEST, WRAPS)`: a proof of another fold, whose list has so many rules
///   and this digest.
#[macro_export]
macro_rules! paper {
    // A function and its parameters.
    ($module:ident, $state:ident, rules = $rules:expr, $rule:ident($($slots:tt)*)) => {
        $crate::paper!(@slots ($module, $state, $rules, $rule) () $($slots)*)
    };

    // Puts each parameter into parentheses.
    (@slots $of:tt ($($done:tt)*)) => { $crate::paper!(@main $of ($($done)*)) };
    (@slots $of:tt ($($done:tt)*) node $(, $($rest:tt)*)?) => {
        $crate::paper!(@slots $of ($($done)* (node)) $($($rest)*)?)
    };
    (@slots $of:tt ($($done:tt)*) leaf $i:literal = $path:expr $(, $($rest:tt)*)?) => {
        $crate::paper!(@slots $of ($($done)* (leaf $i ($path) 0)) $($($rest)*)?)
    };
    (@slots $of:tt ($($done:tt)*) calling leaf $i:literal = $path:expr $(, $($rest:tt)*)?) => {
        $crate::paper!(@slots $of ($($done)* (leaf $i ($path) 1)) $($($rest)*)?)
    };
    (@slots $of:tt ($($done:tt)*) fold $i:literal = $other:tt $(, $($rest:tt)*)?) => {
        $crate::paper!(@slots $of ($($done)* (fold $i $other)) $($($rest)*)?)
    };

    // All children are read before what they say.
    (@main ($module:ident, $state:ident, $rules:expr, $rule:ident) ($($slot:tt)*)) => {{
        let own = $crate::fold::family($rules);
        let children: &[$crate::verify::recursion::Child] =
            &[$($crate::paper!(@child $slot)),*];
        // What was counted below, last wraps, and proofs behind them.
        #[allow(unused_mut)]
        let mut counts = (::std::vec::Vec::new(), 0usize, 0usize);
        $crate::paper!(
            @open ($module, $state, $rules, $rule, own, children, counts) 0 () $($slot)*
        );
    }};

    (@child $slot:tt) => { $crate::fold::paper_child() };

    // Opens one child after the other; `$number` is that of the next one.
    (@open ($module:ident, $state:ident, $rules:expr, $rule:ident, $own:ident, $children:ident,
        $counts:ident) $number:tt ($($slots:ident)*)) => {
        let _ = $children;
        let counters = $crate::fold::counted(&$counts.0, $counts.1, $counts.2);
        let state = $module::$rule($(&$slots),*);
        $crate::fold::reveal_state::<$module::$state>(&$own, &counters, &state);
    };
    (@open ($module:ident, $state:ident, $rules:expr, $rule:ident, $own:ident, $children:ident,
        $counts:ident) $number:tt ($($slots:ident)*) (node) $($rest:tt)*) => {
        let (counters, slot) =
            $crate::fold::node::<$module::$state, { $rules }>(&$own, &$children[$number]);
        $counts.0.push(counters);
        $crate::paper!(
            @open ($module, $state, $rules, $rule, $own, $children, $counts)
            ($number + 1) ($($slots)* slot) $($rest)*
        );
    };
    (@open ($module:ident, $state:ident, $rules:expr, $rule:ident, $own:ident, $children:ident,
        $counts:ident) $number:tt ($($slots:ident)*) (leaf $i:literal ($path:expr) $inner:literal)
        $($rest:tt)*) => {
        let path = $path;
        let slot = $crate::fold::leaf::<$i>(&$children[$number], &path);
        $counts.1 += 1;
        $counts.2 += path.len() - 1 + $inner;
        $crate::paper!(
            @open ($module, $state, $rules, $rule, $own, $children, $counts)
            ($number + 1) ($($slots)* slot) $($rest)*
        );
    };
    (@open ($module:ident, $state:ident, $rules:expr, $rule:ident, $own:ident, $children:ident,
        $counts:ident) $number:tt ($($slots:ident)*)
        (fold $i:literal ($other:ty, $others:expr, $digest:expr, $wraps:expr)) $($rest:tt)*) => {
        let wraps = $wraps;
        let (counters, slot) = $crate::fold::foreign::<$i, $other, { $others }>(
            &$children[$number],
            &wraps,
            $digest,
        );
        $counts.0.push($crate::fold::as_behind(&counters, wraps.len()));
        $crate::paper!(
            @open ($module, $state, $rules, $rule, $own, $children, $counts)
            ($number + 1) ($($slots)* slot) $($rest)*
        );
    };
}
