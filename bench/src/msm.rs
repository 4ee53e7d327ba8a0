//! `droste-bench msm`: multi-scalar multiplication against arkworks, halo2curves, blst
//! and pasta-msm.

mod calibrate;
mod inputs;
mod pasta;
mod peers;
mod variable;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ark_ec::VariableBaseMSM;
use ark_ec::short_weierstrass::{Affine, Projective};
use clap::{Args, ValueEnum};
use droste_curves::msm::{CostModel, FieldBackend, Msm, MsmCurve, Record, Toggle};
use serde_json::{Map, Value, json};

use crate::clock::{self, Clock};
use crate::memory;
use crate::process;
use crate::race::race;
use crate::report::Report;
use inputs::Scalars;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Curves.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "bn254,grumpkin"
    )]
    curves: Vec<Curve>,
    /// Logarithms of the number of terms.
    #[arg(long, value_delimiter = ',', default_value = "10,12,14,16")]
    log_n: Vec<u32>,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Kinds of scalars.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "uniform")]
    scalars: Vec<Scalars>,
    /// Field arithmetic.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "ifma,portable"
    )]
    backend: Vec<Backend>,
    /// Also measures with each technique turned off in turn.
    #[arg(long)]
    ablate: bool,
    /// Fits the cost model to this machine instead of comparing.
    #[arg(long)]
    calibrate: bool,
    /// Compares windows of one size with windows of two sizes, instead of comparing with the peers.
    #[arg(long)]
    variable_windows: bool,
    /// Omits the peers.
    #[arg(long)]
    no_peers: bool,
    /// Also prints the time of each stage, measured in one more call. It is elapsed time; for
    /// accumulation and reduction it is summed over the threads.
    #[arg(long)]
    stages: bool,
    /// Prints only the memory of one call. The bench passes this to the process in which it
    /// measures memory.
    #[arg(long, hide = true)]
    peak: bool,
    /// Measurements per figure, of which the median is reported.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Curve {
    Bn254,
    Grumpkin,
    Pallas,
    Vesta,
    Bls12_381,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    Ifma,
    Portable,
}

impl Backend {
    fn field_backend(self) -> FieldBackend {
        match self {
            Self::Ifma => FieldBackend::Ifma,
            Self::Portable => FieldBackend::Portable,
        }
    }
}

/// Returns the name of a value on the command line.
fn name(value: &impl ValueEnum) -> String {
    let possible = value.to_possible_value();
    possible.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Runs the measurements.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows = vec![];
    for curve in &arguments.curves {
        let label = name(curve);
        match curve {
            Curve::Bn254 => bench::<ark_bn254::g1::Config>(arguments, &label, &mut rows),
            Curve::Grumpkin => bench::<ark_grumpkin::GrumpkinConfig>(arguments, &label, &mut rows),
            Curve::Pallas => bench::<ark_pallas::PallasConfig>(arguments, &label, &mut rows),
            Curve::Vesta => bench::<ark_vesta::VestaConfig>(arguments, &label, &mut rows),
            Curve::Bls12_381 => bench::<ark_bls12_381::g1::Config>(arguments, &label, &mut rows),
        }
    }
    Report::from_rows(rows)
}

/// The name of an alternative, and the function that runs it.
type Call<'a> = (String, Box<dyn FnMut() + 'a>);

fn bench<C: MsmCurve>(arguments: &Arguments, curve: &str, rows: &mut Vec<Value>)
where
    Projective<C>: VariableBaseMSM<MulBase = Affine<C>, ScalarField = C::ScalarField>,
{
    if arguments.calibrate {
        for backend in &arguments.backend {
            let fitted = calibrate::fit::<C>(backend.field_backend(), arguments.rounds);
            let CostModel {
                term,
                bucket,
                window,
                split,
            } = fitted;
            rows.push(json!({
                "curve": curve, "backend": name(backend),
                "term_ns": term, "bucket_ns": bucket, "window_ns": window, "split_ns": split,
            }));
        }
        return;
    }
    for &log_n in &arguments.log_n {
        let bases = inputs::bases::<C>(1 << log_n);
        for &threads in &arguments.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let Ok(pool) = pool else { continue };
            pool.install(|| {
                for &scalars in &arguments.scalars {
                    let mut measured = Measurement {
                        arguments,
                        curve,
                        bases: &bases,
                        threads,
                        scalars,
                    };
                    measured.run(rows);
                }
            });
        }
    }
}

struct Measurement<'a, C: MsmCurve> {
    arguments: &'a Arguments,
    curve: &'a str,
    bases: &'a [Affine<C>],
    threads: usize,
    scalars: Scalars,
}

impl<C: MsmCurve> Measurement<'_, C>
where
    Projective<C>: VariableBaseMSM<MulBase = Affine<C>, ScalarField = C::ScalarField>,
{
    fn run(&mut self, rows: &mut Vec<Value>) {
        let n = self.bases.len();
        if self.arguments.peak {
            rows.extend(self.peak());
            return;
        }
        if self.arguments.variable_windows {
            self.variable_windows(rows);
            return;
        }
        let uniform = inputs::scalars::<C::ScalarField>(Scalars::Uniform, n);
        let scalars = inputs::scalars::<C::ScalarField>(self.scalars, n);
        let expected = Projective::<C>::msm(self.bases, &scalars).unwrap_or_default();

        let mut variants = vec![];
        for &backend in &self.arguments.backend {
            let plain = Msm::new()
                .threads(self.threads)
                .backend(backend.field_backend());
            variants.push((backend, None, plain.clone()));
            if self.arguments.ablate {
                let off = Toggle::Off;
                let fixed = plain.clone().cost_model(FIXED_WINDOW);
                variants.extend([
                    (
                        backend,
                        Some("endomorphism"),
                        plain.clone().endomorphism(off),
                    ),
                    (backend, Some("duplicates"), plain.clone().duplicates(off)),
                    (backend, Some("cost-model"), fixed),
                ]);
            }
        }
        variants.retain(|(_, _, options)| match options.sum(self.bases, &scalars) {
            Ok(sum) => {
                assert_eq!(sum, expected, "a sum disagrees with arkworks");
                true
            }
            Err(_) => false,
        });
        let bases = self.bases;
        let mut calls: Vec<Call<'_>> = vec![];
        // Indices of each variant on these scalars, on uniform ones, and on one thread.
        let mut places = vec![];
        for (_, _, options) in &variants {
            let mut call = |options: Msm, scalars: &'_ [C::ScalarField]| {
                let scalars = scalars.to_vec();
                calls.push((
                    String::new(),
                    Box::new(move || {
                        std::hint::black_box(options.sum(bases, &scalars).ok());
                    }),
                ));
                calls.len() - 1
            };
            let own = call(options.clone(), &scalars);
            let on_uniform = match self.scalars {
                Scalars::Uniform => own,
                _ => call(options.clone(), &uniform),
            };
            let alone = match self.threads {
                1 => own,
                _ => call(options.clone().threads(1), &scalars),
            };
            places.push([own, on_uniform, alone]);
        }
        let ours = calls.len();
        if !self.arguments.no_peers {
            calls.extend(peers::all::<C>(bases, &scalars, self.threads, &expected));
        }
        let mut alternatives: Vec<&mut dyn FnMut()> = calls
            .iter_mut()
            .map(|(_, call)| &mut **call as &mut dyn FnMut())
            .collect();
        let times = race(self.arguments.rounds, 1, &mut alternatives);
        let peers: Map<String, Value> = calls[ours..]
            .iter()
            .zip(&times[ours..])
            .map(|((name, _), time)| (name.clone(), json!(time.median() / 1e6)))
            .collect();
        let names: Vec<String> = calls[ours..].iter().map(|(name, _)| name.clone()).collect();
        drop(calls);
        let input_bytes = n * (size_of::<Affine<C>>() + size_of::<C::ScalarField>());
        for (i, (backend, without, options)) in variants.iter().enumerate() {
            let [time, own_uniform, alone] = places[i].map(|at| &times[at]);
            let extra = match without {
                None => self.peak_elsewhere(*backend),
                Some(_) => None,
            };
            let mut row = json!({
                "curve": self.curve, "n": n, "threads": self.threads,
                "scalars": name(&self.scalars), "backend": name(backend),
                "ours_ms": time.median() / 1e6, "peers": peers,
                "ratio_own_uniform": time.ratio(own_uniform),
                "peak_rss_bytes": extra.map(|extra| extra + input_bytes),
                "input_bytes": input_bytes,
            });
            for (name, peer) in names.iter().zip(&times[ours..]) {
                row[format!("ratio_{name}")] = json!(time.ratio(peer));
            }
            if self.threads > 1 && clock::get() == Clock::Wall {
                row["speedup"] = json!(alone.ratio(time));
            }
            if self.arguments.stages {
                row["stages_us"] = stages(options, self.bases, &scalars);
            }
            if let Some(without) = without {
                // The variant with every technique is the first one of its backend.
                let whole = variants.iter().position(|(other, ..)| other == backend);
                row["without"] = json!(without);
                row["ratio_whole"] = json!(whole.map(|at| time.ratio(&times[places[at][0]])));
            }
            rows.push(row);
        }
    }

    fn variable_windows(&self, rows: &mut Vec<Value>) {
        let scalars = inputs::scalars::<C::ScalarField>(self.scalars, self.bases.len());
        for backend in &self.arguments.backend {
            let options = Msm::new().threads(self.threads);
            let options = options.backend(backend.field_backend());
            let found = variable::rows(&options, self.bases, &scalars, self.arguments.rounds);
            rows.extend(found.into_iter().map(|mut row| {
                row["backend"] = json!(name(backend));
                row["curve"] = json!(self.curve);
                row
            }));
        }
    }

    /// Returns the bytes that one call allocates beside its input.
    fn peak(&self) -> Option<Value> {
        let scalars = inputs::scalars::<C::ScalarField>(self.scalars, self.bases.len());
        let backend = self.arguments.backend.first()?.field_backend();
        let options = Msm::new().threads(self.threads).backend(backend);
        let call = || {
            std::hint::black_box(options.sum(self.bases, &scalars).ok());
        };
        // The first call also loads code into memory, so it is not measured.
        call();
        let extra = memory::peak_of(call)?;
        Some(json!({ "extra_bytes": extra }))
    }

    /// Measures the same in a process of its own, whose allocator returns freed memory to the
    /// system: memory left over from earlier steps would hide what the call takes.
    fn peak_elsewhere(&self, backend: Backend) -> Option<usize> {
        let log_n = self.bases.len().trailing_zeros().to_string();
        let threads = self.threads.to_string();
        let (scalars, backend) = (name(&self.scalars), name(&backend));
        let arguments = [
            ["msm", "--peak"],
            ["--curves", self.curve],
            ["--log-n", &log_n],
            ["--threads", &threads],
            ["--scalars", &scalars],
            ["--backend", &backend],
        ];
        let variables = ["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"];
        let row = process::row(
            arguments.as_flattened(),
            &variables.map(|name| (name, "65536")),
        )?;
        row["extra_bytes"].as_u64()?.try_into().ok()
    }
}

/// Returns the microseconds of each stage of one call.
fn stages<C: MsmCurve>(options: &Msm, bases: &[Affine<C>], scalars: &[C::ScalarField]) -> Value {
    let record = Arc::new(Mutex::new(None));
    let sink = record.clone();
    let options = options.clone().trace(move |record| {
        if let Ok(mut sink) = sink.lock() {
            *sink = Some(record.clone());
        }
    });
    std::hint::black_box(options.sum(bases, scalars).ok());
    let record: Option<Record> = record.lock().ok().and_then(|mut record| record.take());
    record.map_or(Value::Null, |record| {
        let micros = |time: Duration| time.as_micros() as u64;
        let s = record.stages;
        json!({
            "scan": micros(s.scan), "pack": micros(s.pack), "duplicates": micros(s.duplicates),
            "split": micros(s.split), "recode": micros(s.recode),
            "accumulate": micros(s.accumulate), "reduce": micros(s.reduce),
            "combine": micros(s.combine), "window": record.window, "rounds": record.rounds,
        })
    })
}

/// A cost model without the cost of buckets, except for about one per term. A rule for the window
/// size that has no measured constants amounts to it.
const FIXED_WINDOW: CostModel = CostModel {
    term: 1.0,
    bucket: 1.0,
    window: 0.0,
    split: 0.0,
};
