//! A call: from bases and scalars to jobs, and back.

use ark_ec::short_weierstrass::{Affine, Projective};

use super::accumulate::{Sums, Workspace, sum_stream};
use super::arena::{Arena, Carver, Size};
use super::backend::Backend;
use super::curve::MsmCurve;
use super::driver::{Job, sum_jobs};
use super::duplicates::{Clusters, MemberStream};
use super::endomorphism::endomorphism;
use super::options::{FieldBackend, Msm, Toggle};
use super::parallel::collect;
use super::portable::Portable;
use super::recode::{Word, window_count};
use super::scan::{Scan, bit_length};
use super::schedule::{NONE, Shape};
use super::small::{MAX_TERMS, sum_small};
use super::table::{Table, nonidentity};
use super::trace::{Record, timed};
use super::{CostModel, MsmError};

/// Repeats in the sample, in 1/1024, from which joining equal scalars pays.
const WORTHWHILE_DUPLICATES: u32 = 32;

/// Terms of a slot when the members of clusters are summed.
const CLUSTER_CAP: usize = 16;

/// Bytes a term takes during a batch, roughly: scalar, digits, an image and positions.
const TERM_BYTES: usize = 160;

/// One vector on its way.
struct Vector {
    /// Position of the point of each term.
    points: Vec<u32>,
    scalars: Vec<Word>,
    bits: u32,
    record: Record,
}

/// One sum for each vector.
pub fn run<C: MsmCurve>(
    options: &Msm,
    bases: &[Affine<C>],
    vectors: Vec<Vec<Word>>,
) -> Result<Vec<Projective<C>>, MsmError> {
    if options.backend != FieldBackend::Portable {
        #[cfg(target_arch = "x86_64")]
        if let Some(ifma) = super::ifma::Ifma::<C>::new() {
            return Ok(Call::new(options, &ifma, CostModel::IFMA, true).run(bases, vectors));
        }
        if options.backend == FieldBackend::Ifma {
            let backend = options.backend;
            return Err(MsmError::Unavailable { backend });
        }
    }
    Ok(Call::new(options, &Portable, CostModel::PORTABLE, false).run(bases, vectors))
}

/// Bytes that a vector takes during a batch, roughly.
fn bytes(vector: &Vector) -> usize {
    vector.points.len() * TERM_BYTES
}

/// Memory for the sums of clusters.
fn joining<'a, P>(carver: &mut Carver<'a, P>, shape: Shape) -> (Sums<'a, P>, Workspace<'a>) {
    (
        Sums::lay_out(carver, shape),
        Workspace::lay_out(carver, shape),
    )
}

struct Call<'a, B> {
    options: &'a Msm,
    backend: &'a B,
    model: CostModel,
    threads: usize,
    ifma: bool,
}

impl<'a, B> Call<'a, B> {
    fn new(options: &'a Msm, backend: &'a B, model: CostModel, ifma: bool) -> Self {
        Self {
            options,
            backend,
            model: options.model.unwrap_or(model),
            threads: options.workers(),
            ifma,
        }
    }

    fn run<C: MsmCurve>(&self, bases: &[Affine<C>], vectors: Vec<Vec<Word>>) -> Vec<Projective<C>>
    where
        B: Backend<C>,
    {
        let mut prepared: Vec<Vector> = vectors
            .into_iter()
            .map(|scalars| self.scan(&bases[..scalars.len()], scalars))
            .collect();
        if let [vector] = &mut prepared[..]
            && vector.points.len() <= MAX_TERMS
        {
            return vec![self.sum_trivial(vector, |i| bases[i as usize])];
        }
        let mut table = self.table(bases, &mut prepared);
        if prepared.len() > 1
            && let Some(endomorphism) = endomorphism::<C>()
            && prepared.iter().any(|vector| self.wants_split(vector))
        {
            let all: Vec<u32> = (0..table.points.len() as u32).collect();
            table.images(self.backend, &endomorphism.beta, &all);
        }
        let kept = table.points.len();
        let mut arena = Arena::default();
        let mut sums = vec![];
        let mut left = prepared.into_iter().peekable();
        while left.peek().is_some() {
            let mut batch = vec![];
            let mut memory = 0;
            while let Some(vector) =
                left.next_if(|v| batch.is_empty() || memory + bytes(v) <= self.options.memory)
            {
                memory += bytes(&vector);
                batch.push(vector);
            }
            sums.extend(self.sum_batch::<C>(&mut table, batch, &mut arena));
            table.truncate(kept);
        }
        sums
    }

    fn scan<C: MsmCurve>(&self, bases: &[Affine<C>], mut scalars: Vec<Word>) -> Vector {
        let mut record = Record {
            label: self.options.label.clone(),
            n: scalars.len(),
            ifma: self.ifma,
            ..Record::default()
        };
        let mut time = Default::default();
        let scan = timed(&mut time, || {
            let scan = Scan::new(bases, &scalars);
            if scan.active.len() < scalars.len() {
                let active = scan.active.iter();
                scalars = active.map(|&i| scalars[i as usize]).collect();
            }
            scan
        });
        record.active = scan.active.len();
        record.bits = scan.bits;
        record.duplicate_density = scan.duplicates;
        record.stages.scan = time;
        Vector {
            scalars,
            points: scan.active,
            bits: scan.bits,
            record,
        }
    }

    /// Packs the bases that count, and turns positions of bases into positions of points.
    fn table<C: MsmCurve>(&self, bases: &[Affine<C>], vectors: &mut [Vector]) -> Table<B::Point>
    where
        B: Backend<C>,
    {
        let mut time = Default::default();
        let table = timed(&mut time, || {
            if let [vector] = vectors {
                let table = Table::new(self.backend, bases, &vector.points, self.threads);
                vector.points = (0..vector.points.len() as u32).collect();
                return table;
            }
            let used = vectors.iter().map(|vector| vector.record.n).max();
            let positions = nonidentity(&bases[..used.unwrap_or(0)]);
            let mut rank = vec![NONE; bases.len()];
            for (point, &base) in (0..).zip(&positions) {
                rank[base as usize] = point;
            }
            for point in vectors.iter_mut().flat_map(|vector| &mut vector.points) {
                *point = rank[*point as usize];
            }
            Table::new(self.backend, bases, &positions, self.threads)
        });
        if let Some(first) = vectors.first_mut() {
            first.record.stages.pack = time;
        }
        table
    }

    fn sum_batch<C: MsmCurve>(
        &self,
        table: &mut Table<B::Point>,
        mut vectors: Vec<Vector>,
        arena: &mut Arena<B::Point>,
    ) -> Vec<Projective<C>>
    where
        B: Backend<C>,
    {
        let mut sums = vec![Projective::<C>::default(); vectors.len()];
        let mut open = vec![];
        for (i, vector) in vectors.iter_mut().enumerate() {
            self.join_duplicates::<C>(table, vector, arena);
            if vector.points.len() <= MAX_TERMS {
                let unpack = |at: u32| self.backend.unpack(&table.points[at as usize]);
                sums[i] = self.sum_trivial(vector, unpack);
                continue;
            }
            self.split::<C>(table, vector);
            open.push(i);
        }
        if open.is_empty() {
            return sums;
        }
        let terms = open.iter().map(|&i| vectors[i].points.len()).sum::<usize>() / open.len();
        let bits = open.iter().map(|&i| vectors[i].bits).max().unwrap_or(1);
        let chosen = || self.model.window(terms, bits);
        let window = self.options.window.unwrap_or_else(chosen);
        let mut jobs = vec![];
        for &i in &open {
            let vector = &mut vectors[i];
            vector.record.window = window;
            vector.record.rounds = window_count(vector.bits, window);
            jobs.push(Job {
                scalars: std::mem::take(&mut vector.scalars),
                bits: vector.bits,
                points: std::mem::take(&mut vector.points),
            });
        }
        // Stages that all vectors share are booked on the first.
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

    /// Replaces terms of equal scalars by one, the sum of their points.
    fn join_duplicates<C: MsmCurve>(
        &self,
        table: &mut Table<B::Point>,
        vector: &mut Vector,
        arena: &mut Arena<B::Point>,
    ) where
        B: Backend<C>,
    {
        let wanted = match self.options.duplicates {
            Toggle::Off => false,
            Toggle::On => true,
            Toggle::Auto => vector.record.duplicate_density >= WORTHWHILE_DUPLICATES,
        };
        if !wanted || vector.points.len() <= MAX_TERMS {
            return;
        }
        let mut time = Default::default();
        timed(&mut time, || {
            let scalars = &vector.scalars;
            let clusters = Clusters::new(scalars.iter().map(|scalar| scalar.0), scalars.len());
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
            let single = |&term: &u32| {
                let term = term as usize;
                (vector.points[term], scalars[term])
            };
            let (mut points, mut kept): (Vec<_>, Vec<_>) =
                clusters.single.iter().map(single).unzip();
            for (cluster, &first) in clusters.first.iter().enumerate() {
                if let Some(point) = sums.get(cluster) {
                    points.push(table.push(*point));
                    kept.push(scalars[first as usize]);
                }
            }
            vector.record.clusters = count;
            vector.record.members_flattened = clusters.members();
            vector.record.members_dropped = scalars.len() - kept.len();
            (vector.points, vector.scalars) = (points, kept);
        });
        vector.record.stages.duplicates = time;
    }

    /// Replaces every term by two of half the length, where that pays.
    fn split<C: MsmCurve>(&self, table: &mut Table<B::Point>, vector: &mut Vector)
    where
        B: Backend<C>,
    {
        if !self.wants_split(vector) {
            return;
        }
        let Some(endomorphism) = endomorphism::<C>() else {
            return;
        };
        let terms = vector.points.len();
        let mut time = Default::default();
        timed(&mut time, || {
            let images = table.images(self.backend, &endomorphism.beta, &vector.points);
            let scalars = &vector.scalars;
            let halves = collect(self.threads, terms, |i| {
                let (words, negative) = &scalars[i];
                endomorphism
                    .split(words)
                    .map(|(half, sign)| (half, sign ^ negative))
            });
            let (mut seen, mut points, mut kept) = ([0u64; 4], vec![], vec![]);
            for half in 0..2 {
                let of = if half == 0 { &vector.points } else { &images };
                for (&point, halves) in of.iter().zip(&halves) {
                    let (words, _) = halves[half];
                    seen.iter_mut().zip(words).for_each(|(s, w)| *s |= w);
                    points.push(point);
                    kept.push(halves[half]);
                }
            }
            vector.bits = bit_length(&seen);
            (vector.points, vector.scalars) = (points, kept);
        });
        vector.record.endomorphism = true;
        vector.record.stages.split = time;
    }

    fn wants_split(&self, vector: &Vector) -> bool {
        // About the longest a half can be, for the curves there are.
        const HALF_BITS: u32 = 128;
        let terms = vector.points.len();
        match self.options.endomorphism {
            Toggle::Off => false,
            Toggle::On => true,
            Toggle::Auto => self.model.split_pays(terms, vector.bits, HALF_BITS),
        }
    }

    fn sum_trivial<C: MsmCurve>(
        &self,
        vector: &mut Vector,
        point: impl Fn(u32) -> Affine<C>,
    ) -> Projective<C> {
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
