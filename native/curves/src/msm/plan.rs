//! Plans a call: turns bases and scalars into jobs, has them executed, and assigns the results to
//! the vectors.

use std::marker::PhantomData;

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{Affine, Projective};

use super::accumulate::{Sums, Workspace, sum_stream};
use super::arena::{Arena, Carver, Size};
use super::backend::Backend;
use super::curve::MsmCurve;
use super::duplicates::{Clusters, MemberStream};
use super::endomorphism::{Endomorphism, endomorphism};
use super::execute::{Job, sum_jobs};
use super::options::{FieldBackend, MEMORY, Msm, Toggle};
use super::planes::Planes;
use super::portable::Portable;
use super::recode::window_count;
use super::scan::{Scalars, Scan};
use super::schedule::{NONE, Shape};
use super::small::{MAX_TERMS, sum_small};
use super::table::Table;
use super::trace::{Record, timed};
use super::{CostModel, MsmError};

/// Share of repeats in the scan's sample, in 1/1024, from which joining equal scalars saves time.
const WORTHWHILE_DUPLICATES: u32 = 32;

/// Most terms per slot when the members of clusters are summed.
const CLUSTER_CAP: usize = 16;

/// Largest number of terms that are split by the endomorphism. With more, windows are so large that
/// halving their number saves no more than 2%.
const MAX_SPLIT: usize = 1 << 15;

/// Approximate number of bytes per term during a batch: scalar, digits, positions and the workers'
/// share.
const TERM_BYTES: usize = 160;

/// A vector of terms between scan and sum.
struct Vector {
    /// The position of each term's point.
    points: Vec<u32>,
    scalars: Planes,
    bits: u32,
    record: Record,
}

impl Vector {
    fn new(scan: Scan, mut record: Record) -> Self {
        record.active = scan.active.len();
        record.bits = scan.bits;
        record.duplicate_density = scan.duplicates;
        Self {
            points: scan.active,
            scalars: scan.scalars,
            bits: scan.bits,
            record,
        }
    }
}

/// Returns one sum for each vector, by the backend that the options choose.
pub fn run<C: MsmCurve>(
    options: &Msm,
    bases: &[Affine<C>],
    vectors: &[Scalars<'_, C::ScalarField>],
) -> Result<Vec<Projective<C>>, MsmError> {
    if options.backend != FieldBackend::Portable {
        #[cfg(target_arch = "x86_64")]
        if let Some(ifma) = super::ifma::Ifma::<C>::new() {
            return Ok(Call::new(options, &ifma, CostModel::IFMA, true).run(bases, vectors));
        }
        if options.backend == FieldBackend::Ifma {
            let backend = options.backend;
            return Err(MsmError::Unavailable(backend));
        }
    }
    Ok(Call::new(options, &Portable, CostModel::PORTABLE, false).run(bases, vectors))
}

/// Approximate number of bytes that a vector takes during a batch.
fn bytes(vector: &Vector) -> usize {
    vector.points.len() * TERM_BYTES
}

/// Takes memory for the sums of clusters.
fn joining<'a, P>(carver: &mut Carver<'a, P>, shape: Shape) -> (Sums<'a, P>, Workspace<'a>) {
    (
        Sums::lay_out(carver, shape),
        Workspace::lay_out(carver, shape),
    )
}

struct Call<'a, C, B> {
    options: &'a Msm,
    backend: &'a B,
    model: CostModel,
    threads: usize,
    ifma: bool,
    curve: PhantomData<C>,
}

impl<'a, C: MsmCurve, B: Backend<C>> Call<'a, C, B> {
    fn new(options: &'a Msm, backend: &'a B, model: CostModel, ifma: bool) -> Self {
        Self {
            options,
            backend,
            model: options.model.unwrap_or(model),
            threads: options.workers(),
            ifma,
            curve: PhantomData,
        }
    }

    fn run(
        &self,
        bases: &[Affine<C>],
        vectors: &[Scalars<'_, C::ScalarField>],
    ) -> Vec<Projective<C>> {
        let mut prepared: Vec<Vector> = vectors.iter().map(|scalars| self.scan(*scalars)).collect();
        if let [vector] = &mut prepared[..]
            && vector.points.len() <= MAX_TERMS
        {
            self.drop_identities(vector, bases);
            return vec![self.sum_trivial(vector, |i| bases[i as usize])];
        }
        let mut table = self.table(bases, &mut prepared);
        let kept = table.points.len();
        let mut arena = Arena::default();
        let limit = self.options.memory.unwrap_or(MEMORY);
        let mut sums = vec![];
        let mut left = prepared.into_iter().peekable();
        while left.peek().is_some() {
            let mut batch = vec![];
            let mut memory = 0;
            while let Some(vector) =
                left.next_if(|v| batch.is_empty() || memory + bytes(v) <= limit)
            {
                memory += bytes(&vector);
                batch.push(vector);
            }
            sums.extend(self.sum_batch(&mut table, batch, &mut arena));
            table.truncate(kept);
        }
        sums
    }

    fn scan(&self, scalars: Scalars<'_, C::ScalarField>) -> Vector {
        let mut record = Record {
            label: self.options.label.clone(),
            n: scalars.len(),
            ifma: self.ifma,
            ..Record::default()
        };
        let time = &mut record.stages.scan;
        let scan = timed(time, || Scan::new(self.backend, scalars, self.threads));
        Vector::new(scan, record)
    }

    fn drop_identities(&self, vector: &mut Vector, bases: &[Affine<C>]) {
        let mut record = std::mem::take(&mut vector.record);
        let mut scan = Scan {
            active: std::mem::take(&mut vector.points),
            scalars: std::mem::take(&mut vector.scalars),
            ..Scan::default()
        };
        timed(&mut record.stages.scan, || scan.drop_identities(bases));
        *vector = Vector::new(scan, record);
    }

    /// Packs the bases that occur in a vector, and replaces positions of bases by positions in the
    /// table.
    fn table(&self, bases: &[Affine<C>], vectors: &mut [Vector]) -> Table<B::Point> {
        let mut time = Default::default();
        let pack = |positions: &[u32], room| {
            Table::new(self.backend, bases, positions, room, self.threads)
        };
        let table = timed(&mut time, || {
            if let [vector] = vectors {
                let table = pack(&vector.points, self.room(vector)).or_else(|| {
                    self.drop_identities(vector, bases);
                    pack(&vector.points, self.room(vector))
                });
                vector.points = (0..vector.points.len() as u32).collect();
                return table;
            }
            let used = vectors.iter().map(|vector| vector.record.n).max();
            let mut positions: Vec<u32> = (0..used.unwrap_or(0) as u32).collect();
            let room = positions.len();
            let whole = pack(&positions, room);
            if whole.is_some() {
                return whole;
            }
            positions.retain(|&base| !bases[base as usize].is_zero());
            let mut rank = vec![NONE; bases.len()];
            for (point, &base) in (0..).zip(&positions) {
                rank[base as usize] = point;
            }
            for vector in vectors.iter_mut() {
                self.drop_identities(vector, bases);
                let points = vector.points.iter_mut();
                points.for_each(|point| *point = rank[*point as usize]);
            }
            pack(&positions, room)
        });
        if let Some(first) = vectors.first_mut() {
            first.record.stages.pack = time;
        }
        // Identities were dropped before the second attempt, so it cannot fail.
        table.unwrap_or_default()
    }

    /// Upper bound on the points that are appended to those of the bases: the sums of clusters.
    fn room(&self, vector: &Vector) -> usize {
        if self.wants_clusters(vector) {
            vector.points.len() / 2
        } else {
            0
        }
    }

    fn sum_batch(
        &self,
        table: &mut Table<B::Point>,
        mut vectors: Vec<Vector>,
        arena: &mut Arena<B::Point>,
    ) -> Vec<Projective<C>> {
        let mut sums = vec![Projective::<C>::default(); vectors.len()];
        let mut open = vec![];
        for (i, vector) in vectors.iter_mut().enumerate() {
            self.join_duplicates(table, vector, arena);
            if vector.points.len() <= MAX_TERMS {
                let unpack = |at: u32| self.backend.unpack(&table.points[at as usize]);
                sums[i] = self.sum_trivial(vector, unpack);
                continue;
            }
            open.push(i);
        }
        if open.is_empty() {
            return sums;
        }
        let mut jobs = vec![];
        for &i in &open {
            let vector = &mut vectors[i];
            let split = self.split(vector);
            vector.record.endomorphism = split.is_some();
            jobs.push(Job {
                scalars: std::mem::take(&mut vector.scalars),
                bits: split.as_ref().map_or(vector.bits, |split| split.bits),
                split,
                points: std::mem::take(&mut vector.points),
            });
        }
        let terms: usize = jobs.iter().map(Job::halves).sum();
        let bits = jobs.iter().map(|job| job.bits).max().unwrap_or(1);
        let model = if jobs.iter().any(|job| job.split.is_some()) {
            self.model.of_halves()
        } else {
            self.model
        };
        let chosen = || model.window(terms / jobs.len(), jobs.len(), self.threads, bits);
        let window = self.options.window.unwrap_or_else(chosen);
        for (&i, job) in open.iter().zip(&jobs) {
            let record = &mut vectors[i].record;
            (record.window, record.rounds) = (window, window_count(job.bits, window));
        }
        // Times of stages that all vectors share are recorded with the first vector.
        let results = sum_jobs(
            self.backend,
            &table.points,
            &mut jobs,
            window,
            self.threads,
            arena,
            &mut vectors[open[0]].record.stages,
        );
        for (&i, sum) in open.iter().zip(results) {
            self.publish(&vectors[i].record);
            sums[i] = sum;
        }
        sums
    }

    /// Replaces terms with equal scalars by one term, whose point is the sum of their points.
    fn join_duplicates(
        &self,
        table: &mut Table<B::Point>,
        vector: &mut Vector,
        arena: &mut Arena<B::Point>,
    ) {
        if !self.wants_clusters(vector) || vector.points.len() <= MAX_TERMS {
            return;
        }
        let mut time = Default::default();
        timed(&mut time, || {
            let scalars = &vector.scalars;
            let clusters = Clusters::new(scalars, scalars.len());
            let stream = MemberStream {
                clusters: &clusters,
                points: &vector.points,
            };
            let count = clusters.len();
            let shape = Shape::new(clusters.members(), count, CLUSTER_CAP);
            let size = Size::of::<B::Point, _>(|c| drop(joining(c, shape)));
            let (mut sums, mut workspace) = joining(&mut arena.carve(size), shape);
            sum_stream(
                self.backend,
                &table.points,
                count,
                &stream,
                &mut workspace,
                &mut B::Scratch::default(),
                &mut sums,
            );
            let single = clusters.single.iter();
            let mut points: Vec<u32> = single.map(|&i| vector.points[i as usize]).collect();
            let mut kept = clusters.single.clone();
            for (cluster, &first) in clusters.first.iter().enumerate() {
                if let Some(point) = sums.get(cluster) {
                    points.push(table.push(*point));
                    kept.push(first);
                }
            }
            vector.record.clusters = count;
            vector.record.members_flattened = clusters.members();
            vector.record.members_dropped = scalars.len() - kept.len();
            vector.scalars = scalars.select(kept.iter().map(|&i| i as usize));
            vector.points = points;
        });
        vector.record.stages.duplicates = time;
    }

    /// What splits a vector's scalars into halves, if that saves time.
    fn split(&self, vector: &Vector) -> Option<Endomorphism<C::BaseField>> {
        let terms = vector.points.len();
        let wanted = |half_bits| match self.options.endomorphism {
            Toggle::Off => false,
            Toggle::On => true,
            Toggle::Auto => {
                terms <= MAX_SPLIT
                    && self
                        .model
                        .split_pays(terms, self.threads, vector.bits, half_bits)
            }
        };
        endomorphism::<C>().filter(|endomorphism| wanted(endomorphism.bits))
    }

    fn wants_clusters(&self, vector: &Vector) -> bool {
        match self.options.duplicates {
            Toggle::Off => false,
            Toggle::On => true,
            Toggle::Auto => vector.record.duplicate_density >= WORTHWHILE_DUPLICATES,
        }
    }

    fn sum_trivial(&self, vector: &mut Vector, point: impl Fn(u32) -> Affine<C>) -> Projective<C> {
        let points: Vec<_> = vector.points.iter().map(|&at| point(at)).collect();
        let stage = &mut vector.record.stages.accumulate;
        let sum = timed(stage, || sum_small(&points, &vector.scalars, vector.bits));
        self.publish(&vector.record);
        sum
    }

    fn publish(&self, record: &Record) {
        record.emit();
        if let Some(sink) = &self.options.sink.0 {
            sink(record);
        }
    }
}
