//! The polynomial of a table, arranged for evaluating it on many rows.
//!
//! A table's polynomial is a linear combination of its outputs. The outputs share multipliers: most
//! constraints are a flag times a difference. Once the coefficients are known, sums are multiplied
//! out and collected again by multiplier:
//!
//! ```text
//! sum_j c_j f e_j = f (sum_j c_j e_j)
//! ```
//!
//! If the `e_j` are affine in the cells, their combination is one column over the extension field,
//! which is computed once and then folded like a column of cells, instead of many products per row
//! in every round. What is left are products without a common factor, such as the cubes of a
//! permutation. They are computed by a straight-line program from affine forms over the base field,
//! each of which is either computed from cells or a column, too.
//!
//! Of a polynomial identity at the challenge, summands are added to the linear form, and each factor
//! of a product is a column over the extension field.

use std::collections::{BTreeMap, BTreeSet};

use droste_native::{EF, F};
use p3_field::{Algebra, PrimeCharacteristicRing};

use super::Combination;
use super::values::Weights;
use crate::tables::{Coefficients, evaluate_weight};
use crate::whir::expressions::{Expressions, Leaf, Node, cell};
use crate::whir::program::Program;

/// An affine form with more terms is a column of its own: steps that add terms on every row and in
/// every round cost more than folding a column once there are about a dozen of them.
const COMPUTED_TERMS: usize = 12;

/// Products are collected by a factor that at least so many of them have. A column over the
/// extension field takes the memory and the folding of five others: tables of bits, where each bit
/// is in a few products, would have as many such columns as bits.
const SHARED_FACTOR: usize = 6;

/// An affine form in the cells of two consecutive rows and in selectors.
#[derive(Clone, Debug)]
pub(super) struct Form<W> {
    pub(super) terms: Vec<(Leaf, W)>,
    pub(super) constant: W,
}

/// A table's polynomial. It is the form `extension[0]`, and the sum of the parts.
#[derive(Debug)]
pub(super) struct Polynomial {
    /// Columns over the base field.
    pub(super) base: Vec<Form<F>>,
    /// Columns over the extension field.
    pub(super) extension: Vec<Form<EF>>,
    /// Parts by degree in one variable, at least 2.
    pub(super) parts: Vec<Part>,
}

/// The terms of one degree.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) degree: usize,
    /// Computes what the sum refers to from columns over the base field, of which the inputs are
    /// indices.
    pub(super) program: Program<usize>,
    /// The columns over the extension field that the sum and the pairs refer to.
    pub(super) extension: Vec<usize>,
    pub(super) sum: Sum,
    /// Products of two columns over the extension field, by indices in that list.
    pub(super) pairs: Vec<[usize; 2]>,
}

/// A column, and products.
#[derive(Debug)]
pub(super) struct Sum {
    /// Index in the part's list of columns over the extension field.
    pub(super) form: Option<usize>,
    /// The first of the program's outputs that have weights.
    pub(super) first: usize,
    /// The weights of these outputs.
    pub(super) weights: Weights,
    /// Each product is that of an output of the program with a sum.
    pub(super) products: Vec<(usize, Self)>,
}

impl Polynomial {
    pub(super) fn new(
        expressions: &Expressions,
        combination: &Combination,
        public_values: &[F],
    ) -> Self {
        let mut lowering = Lowering {
            nodes: expressions.nodes(),
            degrees: expressions.degrees(),
            constants: constants(expressions, public_values),
            extension: Vec::new(),
        };
        let mut weights = BTreeMap::new();
        for (output, coefficient) in expressions.outputs().zip(combination.coefficients()) {
            *weights.entry(output).or_insert(EF::ZERO) += coefficient;
        }
        let mut expanded = lowering.expand(weights);
        expanded.form.constant += combination.constant;
        let Identities { summands, products } = Identities::new(expressions, combination);
        expanded.form.add(summands);
        lowering.extension.push(expanded.form);
        let mut parts: BTreeMap<usize, Draft> = BTreeMap::new();
        let draft = lowering.collect(expanded.products);
        for (node, weight) in draft.terms {
            let part = parts.entry(lowering.degrees[node]).or_default();
            part.terms.push((node, weight));
        }
        for (multiplier, factor) in draft.products {
            let degree = lowering.degrees[multiplier] + lowering.degree(&factor);
            let part = parts.entry(degree).or_default();
            part.products.push((multiplier, factor));
        }
        let first_pair = lowering.extension.len();
        lowering.extension.extend(products.into_iter().flatten());
        let pairs = (first_pair..lowering.extension.len()).step_by(2);
        let mut pairs: Vec<usize> = pairs.collect();
        if !pairs.is_empty() {
            parts.entry(2).or_default();
        }

        let mut columns = Columns::new(&lowering, parts.values());
        let parts = parts.into_iter().map(|(degree, draft)| {
            let mut builder = PartBuilder::default();
            let sum = builder.sum(&lowering, &mut columns, draft);
            let of_part = if degree == 2 {
                std::mem::take(&mut pairs)
            } else {
                Vec::new()
            };
            let pairs = of_part
                .into_iter()
                .map(|left| [left, left + 1].map(|form| builder.form(form)));
            Part {
                degree,
                pairs: pairs.collect(),
                program: Program::new(&builder.nodes, &builder.outputs),
                extension: builder.extension,
                sum,
            }
        });
        Self {
            parts: parts.collect(),
            base: columns.forms,
            extension: lowering.extension,
        }
    }
}

impl Form<EF> {
    /// Adds terms.
    fn add(&mut self, terms: impl IntoIterator<Item = (Leaf, EF)>) {
        let mut sum: BTreeMap<Leaf, EF> = self.terms.drain(..).collect();
        for (leaf, weight) in terms {
            *sum.entry(leaf).or_insert(EF::ZERO) += weight;
        }
        self.terms = sum.into_iter().collect();
    }
}

/// The identities of a table at the challenge.
#[derive(Default)]
struct Identities {
    summands: Vec<(Leaf, EF)>,
    /// The factors of each product.
    products: Vec<[Form<EF>; 2]>,
}

impl Identities {
    fn new(expressions: &Expressions, combination: &Combination) -> Self {
        let mut identities = Self::default();
        let alpha = combination.alpha;
        let terms = |coefficients: &Coefficients, scale: EF| -> Vec<(Leaf, EF)> {
            let cells = coefficients.iter().map(|&column| cell(column));
            cells.zip(alpha.shifted_powers(scale)).collect()
        };
        let mut scale = combination.identities;
        for identity in expressions.identities().iter().rev() {
            for (summand, weight) in &identity.summands {
                let scale = scale * evaluate_weight(weight, alpha);
                identities.summands.extend(terms(summand, scale));
            }
            for [left, right] in &identity.products {
                let factors = [(left, scale), (right, EF::ONE)];
                identities
                    .products
                    .push(factors.map(|(factor, scale)| Form {
                        terms: terms(factor, scale),
                        constant: EF::ZERO,
                    }));
            }
            scale *= alpha.exp_u64(identity.num_coefficients() as u64);
        }
        identities
    }
}

/// The values of nodes of degree 0.
fn constants(expressions: &Expressions, public_values: &[F]) -> Vec<Option<F>> {
    let mut values: Vec<Option<F>> = Vec::with_capacity(expressions.nodes().len());
    for node in expressions.nodes() {
        let both = |x: usize, y: usize| values[x].zip(values[y]);
        values.push(match *node {
            Node::Leaf(Leaf::Public(index)) => Some(public_values[index]),
            Node::Leaf(_) => None,
            Node::Constant(constant) => Some(constant),
            Node::Add(x, y) => both(x, y).map(|(x, y)| x + y),
            Node::Sub(x, y) => both(x, y).map(|(x, y)| x - y),
            Node::Mul(x, y) => both(x, y).map(|(x, y)| x * y),
            Node::Neg(x) => values[x].map(|x| -x),
        });
    }
    values
}

/// A sum in terms of nodes of the table's graph.
#[derive(Default)]
struct Draft {
    /// Index of a form over the extension field.
    form: Option<usize>,
    terms: Vec<(usize, EF)>,
    products: Vec<(usize, Self)>,
}

/// A product of two nodes, neither of them constant.
struct Product {
    node: usize,
    factors: (usize, usize),
    weight: EF,
}

impl Product {
    /// The other factor.
    fn other(&self, factor: usize) -> Option<usize> {
        match self.factors {
            (x, y) if x == factor => Some(y),
            (x, y) if y == factor => Some(x),
            _ => None,
        }
    }
}

/// A linear combination of nodes, multiplied out down to products.
struct Expanded<W> {
    form: Form<W>,
    products: Vec<(usize, (usize, usize), W)>,
}

struct Lowering<'a> {
    nodes: &'a [Node],
    degrees: &'a [usize],
    constants: Vec<Option<F>>,
    extension: Vec<Form<EF>>,
}

impl Lowering<'_> {
    /// Multiplies out a linear combination of nodes: sums become their terms, whose weights add up
    /// if they occur several times.
    fn expand<W: Algebra<F> + Copy + PartialEq>(
        &self,
        mut weights: BTreeMap<usize, W>,
    ) -> Expanded<W> {
        let mut terms: BTreeMap<Leaf, W> = BTreeMap::new();
        let mut constant = W::ZERO;
        let mut products = Vec::new();
        // Operands precede what is computed from them: a node's weight is complete when it is the
        // last one.
        while let Some((node, weight)) = weights.pop_last() {
            if weight == W::ZERO {
                continue;
            }
            if let Some(value) = self.constants[node] {
                constant += weight * value;
                continue;
            }
            let mut add = |node: usize, weight: W| {
                *weights.entry(node).or_insert(W::ZERO) += weight;
            };
            match self.nodes[node] {
                Node::Leaf(Leaf::Transition) => {
                    constant += weight;
                    *terms.entry(Leaf::LastRow).or_insert(W::ZERO) -= weight;
                }
                Node::Leaf(leaf) => *terms.entry(leaf).or_insert(W::ZERO) += weight,
                Node::Constant(_) => {}
                Node::Add(x, y) => {
                    add(x, weight);
                    add(y, weight);
                }
                Node::Sub(x, y) => {
                    add(x, weight);
                    add(y, -weight);
                }
                Node::Neg(x) => add(x, -weight),
                Node::Mul(x, y) => match (self.constants[x], self.constants[y]) {
                    (Some(x), _) => add(y, weight * x),
                    (_, Some(y)) => add(x, weight * y),
                    _ => products.push((node, (x, y), weight)),
                },
            }
        }
        terms.retain(|_, weight| *weight != W::ZERO);
        Expanded {
            form: Form {
                terms: terms.into_iter().collect(),
                constant,
            },
            products,
        }
    }

    fn sum(&mut self, weights: BTreeMap<usize, EF>) -> Draft {
        let Expanded { form, products } = self.expand(weights);
        let mut draft = self.collect(products);
        if !form.terms.is_empty() || form.constant != EF::ZERO {
            draft.form = Some(self.extension.len());
            self.extension.push(form);
        }
        draft
    }

    /// Collects products by the factor that most of them have, as long as [`SHARED_FACTOR`] have
    /// one in common.
    fn collect(&mut self, products: Vec<(usize, (usize, usize), EF)>) -> Draft {
        let products = products.into_iter();
        let mut products: Vec<Product> = products
            .map(|(node, factors, weight)| Product {
                node,
                factors,
                weight,
            })
            .collect();
        let mut draft = Draft::default();
        while let Some(multiplier) = self.common_factor(&products) {
            let (with, without): (Vec<_>, Vec<_>) = products
                .into_iter()
                .partition(|product| product.other(multiplier).is_some());
            products = without;
            let mut weights = BTreeMap::new();
            let mut terms = Vec::new();
            for product in with {
                let Some(other) = product.other(multiplier) else {
                    continue;
                };
                // A product that is needed elsewhere, too, is computed once.
                let is_needed = |product: &Product| product.other(other).is_some();
                if self.degrees[other] > 1 && products.iter().any(is_needed) {
                    terms.push((other, product.weight));
                } else {
                    *weights.entry(other).or_insert(EF::ZERO) += product.weight;
                }
            }
            let mut factor = self.sum(weights);
            factor.terms.extend(terms);
            draft.products.push((multiplier, factor));
        }
        let rest = products.into_iter();
        draft.terms = rest.map(|product| (product.node, product.weight)).collect();
        draft
    }

    /// The factor that most products have, if [`SHARED_FACTOR`] have one in common; of several the
    /// one of the least degree.
    fn common_factor(&self, products: &[Product]) -> Option<usize> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for &Product {
            factors: (x, y), ..
        } in products
        {
            *counts.entry(x).or_default() += 1;
            if x != y {
                *counts.entry(y).or_default() += 1;
            }
        }
        let common = counts
            .into_iter()
            .filter(|(_, count)| *count >= SHARED_FACTOR);
        let best = common
            .max_by_key(|&(node, count)| (count, std::cmp::Reverse((self.degrees[node], node))));
        best.map(|(node, _)| node)
    }

    fn degree(&self, draft: &Draft) -> usize {
        let terms = draft.terms.iter().map(|&(node, _)| self.degrees[node]);
        let products = draft.products.iter();
        let products =
            products.map(|(multiplier, factor)| self.degrees[*multiplier] + self.degree(factor));
        terms.chain(products).fold(1, usize::max)
    }
}

/// The columns over the base field.
struct Columns {
    forms: Vec<Form<F>>,
    /// Columns that are cells or selectors.
    leaves: BTreeMap<Leaf, usize>,
    /// The affine nodes from which products are computed.
    affine: BTreeMap<usize, Affine>,
}

/// An affine node.
enum Affine {
    /// It is a column.
    Column(usize),
    /// It is computed from columns that are cells or selectors.
    Computed(Form<F>),
}

impl Columns {
    /// The columns that these sums need.
    fn new<'a>(lowering: &Lowering<'_>, drafts: impl Iterator<Item = &'a Draft>) -> Self {
        let mut pending: Vec<usize> = Vec::new();
        for draft in drafts {
            roots(draft, &mut pending);
        }
        let mut seen = BTreeSet::new();
        let mut forms = Vec::new();
        while let Some(node) = pending.pop() {
            if lowering.constants[node].is_some() || !seen.insert(node) {
                continue;
            }
            if lowering.degrees[node] == 1 {
                let form = lowering.expand(BTreeMap::from([(node, F::ONE)])).form;
                forms.push((form.terms.len(), node, form));
                continue;
            }
            pending.extend(lowering.nodes[node].operands());
        }
        // Short forms first: the cells that they need are columns when longer ones are looked at.
        forms.sort_by_key(|&(length, node, _)| (length, node));
        let mut columns = Self {
            forms: Vec::new(),
            leaves: BTreeMap::new(),
            affine: BTreeMap::new(),
        };
        for (length, node, form) in forms {
            let is_missing = |(leaf, _): &&(Leaf, F)| !columns.leaves.contains_key(leaf);
            let missing = form.terms.iter().filter(is_missing).count();
            let affine = if length > 1 && length + COMPUTED_TERMS * missing > COMPUTED_TERMS {
                columns.forms.push(form);
                Affine::Column(columns.forms.len() - 1)
            } else {
                for &(leaf, _) in &form.terms {
                    columns.leaf(leaf);
                }
                Affine::Computed(form)
            };
            columns.affine.insert(node, affine);
        }
        columns
    }

    /// The column of a cell or selector.
    fn leaf(&mut self, leaf: Leaf) -> usize {
        *self.leaves.entry(leaf).or_insert_with(|| {
            self.forms.push(Form {
                terms: vec![(leaf, F::ONE)],
                constant: F::ZERO,
            });
            self.forms.len() - 1
        })
    }
}

/// The nodes to which a sum refers.
fn roots(draft: &Draft, nodes: &mut Vec<usize>) {
    nodes.extend(draft.terms.iter().map(|&(node, _)| node));
    for (multiplier, factor) in &draft.products {
        nodes.push(*multiplier);
        roots(factor, nodes);
    }
}

/// The program of a part.
#[derive(Default)]
struct PartBuilder {
    nodes: Vec<Node<usize>>,
    /// Nodes of the program, by nodes of the table.
    known: BTreeMap<usize, usize>,
    /// Nodes of the program that are columns, by column.
    inputs: BTreeMap<usize, usize>,
    outputs: Vec<usize>,
    extension: Vec<usize>,
}

impl PartBuilder {
    fn sum(&mut self, lowering: &Lowering<'_>, columns: &mut Columns, draft: Draft) -> Sum {
        let form = draft.form.map(|form| self.form(form));
        let first = self.outputs.len();
        let mut weights = Vec::with_capacity(draft.terms.len());
        for (node, weight) in draft.terms {
            let output = self.node(lowering, columns, node);
            self.outputs.push(output);
            weights.push(weight);
        }
        let products = draft.products.into_iter().map(|(multiplier, factor)| {
            let output = self.node(lowering, columns, multiplier);
            self.outputs.push(output);
            let index = self.outputs.len() - 1;
            (index, self.sum(lowering, columns, factor))
        });
        let products = products.collect();
        Sum {
            form,
            first,
            weights: Weights::new(weights),
            products,
        }
    }

    /// The index of a form over the extension field in the part's list of columns.
    fn form(&mut self, form: usize) -> usize {
        self.extension.push(form);
        self.extension.len() - 1
    }

    /// The program's node that computes a node of the table.
    fn node(&mut self, lowering: &Lowering<'_>, columns: &mut Columns, node: usize) -> usize {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let new = if let Some(constant) = lowering.constants[node] {
            self.push(Node::Constant(constant))
        } else if let Some(affine) = columns.affine.get(&node) {
            match affine {
                Affine::Column(column) => self.input(*column),
                Affine::Computed(form) => {
                    let leaves = &columns.leaves;
                    let terms = form.terms.iter();
                    let terms: Vec<_> = terms
                        .map(|(leaf, weight)| (leaves[leaf], *weight))
                        .collect();
                    self.affine(&terms, form.constant)
                }
            }
        } else {
            let mut operand = |node| self.node(lowering, columns, node);
            let node = match lowering.nodes[node] {
                Node::Add(x, y) => Node::Add(operand(x), operand(y)),
                Node::Sub(x, y) => Node::Sub(operand(x), operand(y)),
                Node::Mul(x, y) => Node::Mul(operand(x), operand(y)),
                Node::Neg(x) => Node::Neg(operand(x)),
                Node::Constant(constant) => Node::Constant(constant),
                // Affine, so it was found above.
                Node::Leaf(leaf) => Node::Leaf(columns.leaf(leaf)),
            };
            self.push(node)
        };
        self.known.insert(node, new);
        new
    }

    fn push(&mut self, node: Node<usize>) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn input(&mut self, column: usize) -> usize {
        if let Some(&node) = self.inputs.get(&column) {
            return node;
        }
        let node = self.push(Node::Leaf(column));
        self.inputs.insert(column, node);
        node
    }

    /// A sum of columns with weights, and a constant.
    fn affine(&mut self, terms: &[(usize, F)], constant: F) -> usize {
        // A constant that is not zero comes first, so that a difference from it is one step.
        let mut sum = (constant != F::ZERO).then(|| self.push(Node::Constant(constant)));
        for &(column, weight) in terms {
            let input = self.input(column);
            sum = Some(match sum {
                Some(sum) if weight == F::NEG_ONE => self.push(Node::Sub(sum, input)),
                None if weight == F::NEG_ONE => self.push(Node::Neg(input)),
                sum => {
                    let term = if weight == F::ONE {
                        input
                    } else {
                        let weight = self.push(Node::Constant(weight));
                        self.push(Node::Mul(weight, input))
                    };
                    sum.map_or(term, |sum| self.push(Node::Add(sum, term)))
                }
            });
        }
        sum.unwrap_or_else(|| self.push(Node::Constant(F::ZERO)))
    }
}
