//! A constraint builder that evaluates constraints and messages on the values of one row.

use std::sync::Arc;

use p3_air::{AirBuilder, ExtensionBuilder, PermutationAirBuilder, WindowAccess};
use p3_field::Field;
use p3_lookup::{Count, InteractionBuilder};

/// Two consecutive rows, as constraints see them.
#[derive(Clone, Debug)]
pub struct Window<F> {
    current: Arc<[F]>,
    next: Arc<[F]>,
}

impl<F> Window<F> {
    /// The window over a row and the one after it.
    pub const fn new(current: Arc<[F]>, next: Arc<[F]>) -> Self {
        Self { current, next }
    }
}

impl<F> WindowAccess<F> for Window<F> {
    fn current_slice(&self) -> &[F] {
        &self.current
    }

    fn next_slice(&self) -> &[F] {
        &self.next
    }
}

/// A message that a row sends or receives, with its signed count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<F> {
    /// Name of the bus; each local lookup has a name of its own.
    pub bus: Arc<str>,
    /// Elements of the message.
    pub fields: Vec<F>,
    /// Number of times that the message is sent, or minus the number of times that it is received.
    pub count: F,
    /// The bound on the count's magnitude that the AIR declares; zero on the providing side.
    pub bound: u32,
}

/// Evaluates an AIR on one row, and records every constraint that is not zero and every message.
#[derive(Clone, Debug)]
pub struct RowBuilder<F> {
    main: Window<F>,
    preprocessed: Window<F>,
    periodic: Vec<F>,
    public_values: Vec<F>,
    selectors: [F; 3],
    locals: usize,
    /// Number of constraints.
    pub constraints: usize,
    /// The constraints that are not zero: positions in the order in which the AIR asserts them, and
    /// values.
    pub failed: Vec<(usize, F)>,
    /// Messages of the row, including those with count zero.
    pub messages: Vec<Message<F>>,
}

impl<F: Field> RowBuilder<F> {
    /// A builder over these rows and values. The selectors are those of the first row, of the last
    /// row and of transitions.
    pub const fn new(
        main: Window<F>,
        preprocessed: Window<F>,
        periodic: Vec<F>,
        public_values: Vec<F>,
        selectors: [F; 3],
    ) -> Self {
        Self {
            main,
            preprocessed,
            periodic,
            public_values,
            selectors,
            locals: 0,
            constraints: 0,
            failed: Vec::new(),
            messages: Vec::new(),
        }
    }

    fn push(&mut self, bus: &str, fields: Vec<F>, count: Count<F>) {
        let (count, bound) = count.into_parts();
        // Most messages are on the bus of the one before.
        let bus = match self.messages.last() {
            Some(last) if *last.bus == *bus => Arc::clone(&last.bus),
            _ => Arc::from(bus),
        };
        self.messages.push(Message {
            bus,
            fields,
            count,
            bound,
        });
    }

    fn record(&mut self, value: F) {
        if !value.is_zero() {
            self.failed.push((self.constraints, value));
        }
        self.constraints += 1;
    }
}

impl<F: Field> AirBuilder for RowBuilder<F> {
    type F = F;
    type Expr = F;
    type Var = F;
    type PreprocessedWindow = Window<F>;
    type MainWindow = Window<F>;
    type PublicVar = F;
    type PeriodicVar = F;

    fn main(&self) -> Window<F> {
        self.main.clone()
    }

    fn preprocessed(&self) -> &Window<F> {
        &self.preprocessed
    }

    fn is_first_row(&self) -> F {
        self.selectors[0]
    }

    fn is_last_row(&self) -> F {
        self.selectors[1]
    }

    fn is_transition(&self) -> F {
        self.selectors[2]
    }

    fn assert_zero<I: Into<F>>(&mut self, x: I) {
        self.record(x.into());
    }

    fn public_values(&self) -> &[F] {
        &self.public_values
    }

    fn periodic_values(&self) -> &[F] {
        &self.periodic
    }
}

impl<F: Field> ExtensionBuilder for RowBuilder<F> {
    type EF = F;
    type ExprEF = F;
    type VarEF = F;

    fn assert_zero_ext<I: Into<F>>(&mut self, x: I) {
        self.record(x.into());
    }
}

/// There are no permutation columns: buses are compared as multisets, without challenges.
impl<F: Field> PermutationAirBuilder for RowBuilder<F> {
    type MP = Window<F>;
    type RandomVar = F;
    type PermutationVar = F;

    fn permutation(&self) -> Window<F> {
        Window::new(Arc::new([]), Arc::new([]))
    }

    fn permutation_randomness(&self) -> &[F] {
        &[]
    }

    fn permutation_values(&self) -> &[F] {
        &[]
    }
}

impl<F: Field> InteractionBuilder for RowBuilder<F> {
    fn push_interaction<E: Into<F>>(
        &mut self,
        bus_name: &str,
        fields: impl IntoIterator<Item = E>,
        count: impl Into<Count<F>>,
    ) {
        let fields = fields.into_iter().map(Into::into).collect();
        self.push(bus_name, fields, count.into());
    }

    fn push_local_interaction(&mut self, tuples: impl IntoIterator<Item = (Vec<F>, Count<F>)>) {
        let bus = format!("local lookup {}", self.locals);
        self.locals += 1;
        for (fields, count) in tuples {
            self.push(&bus, fields, count);
        }
    }

    fn push_exclusive_interaction(
        &mut self,
        bus_name: &str,
        branches: impl IntoIterator<Item = (F, Count<F>, Vec<F>)>,
    ) {
        for (flag, count, fields) in branches {
            let (count, bound) = count.into_parts();
            self.push(bus_name, fields, Count::bounded(flag * count, bound));
        }
    }
}
