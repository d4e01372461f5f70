//! The cases: every problem, in five orders of size.

use std::rc::Rc;
use std::time::Duration;

use makespan::{
    Context, Limits, Outcome, Report, SolveOptions, Status, cutting_stock, flow_shop, interval_dp,
    knapsack, lattice_dp, multidimensional_knapsack, parallel_machines, recurrence,
};

use crate::common::Result;
use crate::common::instances;
use crate::common::random::Random;

/// Seconds after which a solve is given up.
const LIMIT: u64 = 20;

/// A case in one size.
pub(super) struct Case {
    pub(super) class: &'static str,
    pub(super) size: String,
    /// Whether it belongs to the quick run.
    pub(super) is_quick: bool,
    pub(super) make: Box<dyn Fn() -> Vec<Way>>,
}

impl Case {
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.class, self.size)
    }
}

/// What a solve found of one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) status: Status,
    pub(super) objective: Option<i64>,
    pub(super) bound: Option<i64>,
}

/// What a solve found of every instance, and how it went.
pub(super) struct Answer {
    pub(super) found: Vec<Found>,
    pub(super) report: Report,
}

impl Answer {
    /// Whether no limit ended the solve, and no warning says that it left out some work.
    pub(super) fn is_whole(&self) -> bool {
        !self.report.interrupted && self.report.warning.is_none()
    }
}

impl<S> From<Outcome<S>> for Answer {
    fn from(outcome: Outcome<S>) -> Self {
        Answer { found: vec![found(&outcome)], report: outcome.report }
    }
}

fn found<S>(outcome: &Outcome<S>) -> Found {
    Found { status: outcome.status, objective: outcome.objective, bound: outcome.bound }
}

type Measured = Box<dyn Fn(&Context) -> Result<Answer>>;

/// A method; `auto` is the first of a case.
pub(super) struct Way {
    pub(super) name: &'static str,
    pub(super) solve: Measured,
}

type Solve<I> = fn(&Context, &I) -> makespan::Result<Answer>;

/// The sizes that a quick run takes, of the five.
const QUICK: [usize; 2] = [0, 2];

/// The cases of a class.
fn cases<I: 'static, S: Copy + 'static>(
    class: &'static str,
    sizes: [S; 5],
    show: fn(S) -> String,
    make: fn(S) -> I,
    methods: &'static [(&'static str, Solve<I>)],
) -> impl Iterator<Item = Case> {
    sizes.into_iter().enumerate().map(move |(index, size)| Case {
        class,
        size: show(size),
        is_quick: QUICK.contains(&index),
        make: Box::new(move || {
            let instance = Rc::new(make(size));
            let way = |&(name, solve): &(&'static str, Solve<I>)| {
                let instance = Rc::clone(&instance);
                Way { name, solve: Box::new(move |context| Ok(solve(context, &instance)?)) }
            };
            methods.iter().map(way).collect()
        }),
    })
}

fn limited(iterations: Option<u64>) -> SolveOptions {
    let time = Some(Duration::from_secs(LIMIT));
    SolveOptions {
        limits: Limits { time, iterations, ..Limits::default() },
        ..SolveOptions::default()
    }
}

pub(super) fn all() -> Vec<Case> {
    let mut all = Vec::new();
    all.extend(interval_programs());
    all.extend(recurrences());
    all.extend(knapsacks());
    all.extend(multidimensional_knapsacks());
    all.extend(lattices());
    all.extend(flow_shops());
    all.extend(packings());
    all
}

fn interval(
    context: &Context,
    instance: &interval_dp::Instance<i64>,
    method: interval_dp::Method,
) -> makespan::Result<Answer> {
    let options = interval_dp::Options { method, ..interval_dp::Options::default() };
    Ok(interval_dp::solve(context, instance, &options, &limited(None))?.into())
}

fn interval_programs() -> impl Iterator<Item = Case> {
    use interval_dp::{Kind, Method};
    let show = |points: usize| format!("{points} points");
    let trees = cases(
        "search tree",
        [64, 256, 1024, 4096, 16_384],
        show,
        |points| instances::interval(Kind::SearchTree, points, 1),
        &[
            ("auto", |context, tree| interval(context, tree, Method::Auto)),
            ("knuth", |context, tree| interval(context, tree, Method::Knuth)),
            ("cubic", |context, tree| interval(context, tree, Method::Cubic)),
        ],
    );
    let chains = cases(
        "chain by the cubic method",
        [64, 256, 1024, 4096, 8192],
        show,
        |points| instances::interval(Kind::MatrixChain, points, 1),
        &[("auto", |context, chain| interval(context, chain, Method::Cubic))],
    );
    trees.chain(chains)
}

fn fill(
    context: &Context,
    instance: &recurrence::Instance,
    method: recurrence::Method,
) -> makespan::Result<Answer> {
    let options = recurrence::Options { method, ..recurrence::Options::default() };
    Ok(recurrence::solve(context, instance, &options, &limited(None))?.into())
}

fn recurrences() -> impl Iterator<Item = Case> {
    use recurrence::Method;
    let one = cases(
        "recurrence",
        [1_000, 10_000, 100_000, 1_000_000, 4_000_000],
        |filled| format!("{filled} elements of 1,000 operands"),
        |filled| instances::min_plus(instances::offsets(1024, 1, 1000), filled, 1),
        &[("auto", |context, table| fill(context, table, Method::Auto))],
    );
    let many = cases(
        "recurrences together",
        [1, 10, 100, 1_000, 4_000],
        |count| format!("{count} tables of 10,000 elements of 100 operands"),
        |count| instances::min_plus(instances::offsets(1, 1, 100), 10_000, count),
        &[("auto", |context, table| fill(context, table, Method::Auto))],
    );
    one.chain(many)
}

fn pack(
    context: &Context,
    instance: &knapsack::Instance,
    method: knapsack::Method,
) -> makespan::Result<Answer> {
    let options = knapsack::Options::from(method);
    Ok(knapsack::solve(context, instance, &options, &limited(None))?.into())
}

fn knapsacks() -> impl Iterator<Item = Case> {
    use knapsack::Method;
    let sizes =
        [(20, 10_000), (100, 100_000), (200, 1_000_000), (500, 5_000_000), (1_000, 20_000_000)];
    let show = |(items, capacity): (usize, u64)| format!("{items} items, capacity {capacity}");
    let dense = cases(
        "knapsack by the dense table",
        sizes,
        show,
        |(items, capacity)| instances::knapsack(items, (capacity / 1000, capacity / 10), capacity),
        &[("auto", |context, instance| pack(context, instance, Method::Dense))],
    );
    let sums = cases(
        "subset sum",
        sizes,
        show,
        |(items, capacity)| instances::subset_sum(items, capacity / 10, capacity),
        &[
            ("auto", |context, instance| pack(context, instance, Method::Auto)),
            ("dense", |context, instance| pack(context, instance, Method::Dense)),
            ("core", |context, instance| pack(context, instance, Method::Core)),
        ],
    );
    dense.chain(sums)
}

fn pack_dimensions(
    context: &Context,
    instance: &multidimensional_knapsack::Instance,
    method: multidimensional_knapsack::Method,
) -> makespan::Result<Answer> {
    let options = multidimensional_knapsack::Options::from(method);
    Ok(multidimensional_knapsack::solve(context, instance, &options, &limited(None))?.into())
}

fn multidimensional_knapsacks() -> impl Iterator<Item = Case> {
    use multidimensional_knapsack::Method;
    let sizes = [(20, 20), (30, 45), (40, 100), (50, 220), (60, 340)];
    let show = |(items, capacity): (usize, u64)| format!("{items} items, 3 capacities {capacity}");
    let make = |(items, capacity)| instances::multidimensional_knapsack(items, &[capacity; 3]);
    let dense = cases(
        "multidimensional knapsack by the dense table",
        sizes,
        show,
        make,
        &[("auto", |context, instance| pack_dimensions(context, instance, Method::Dense))],
    );
    let any = cases(
        "multidimensional knapsack",
        sizes,
        show,
        make,
        &[
            ("auto", |context, instance| pack_dimensions(context, instance, Method::Auto)),
            ("dense", |context, instance| pack_dimensions(context, instance, Method::Dense)),
            ("branch-and-bound", |context, instance| {
                pack_dimensions(context, instance, Method::BranchAndBound)
            }),
        ],
    );
    // Branch and bound alone takes minutes.
    let sums = cases(
        "multidimensional subset sum",
        sizes,
        show,
        |(items, capacity)| instances::sum_of_three(items, capacity),
        &[
            ("auto", |context, instance| pack_dimensions(context, instance, Method::Auto)),
            ("dense", |context, instance| pack_dimensions(context, instance, Method::Dense)),
        ],
    );
    dense.chain(any).chain(sums)
}

fn lattices() -> impl Iterator<Item = Case> {
    let one = cases(
        "lattice",
        [(3, 6), (3, 9), (4, 8), (4, 10), (4, 12)],
        |(size, dimensions): (u32, usize)| format!("{size}^{dimensions} cells"),
        |(size, dimensions)| instances::configurations(&vec![size; dimensions]),
        &[("auto", |context, table| {
            let options = lattice_dp::Options::default();
            Ok(lattice_dp::solve(context, table, &options, &limited(None))?.into())
        })],
    );
    let many = cases(
        "lattices together",
        [1, 10, 100, 1_000, 10_000],
        |count| format!("{count} tables of 3^6 cells"),
        |count| vec![instances::configurations(&[3; 6]); count],
        &[("auto", |context, tables: &Vec<lattice_dp::Instance>| {
            let (tables, options): (Vec<_>, _) =
                (tables.iter().collect(), lattice_dp::Options::default());
            let outcomes = lattice_dp::solve_batch(context, &tables, &options, &limited(None))?;
            let found = outcomes.iter().map(found).collect();
            let first = outcomes.into_iter().next();
            Ok(Answer { found, report: first.map(|outcome| outcome.report).unwrap_or_default() })
        })],
    );
    one.chain(many)
}

fn search(
    context: &Context,
    instance: &flow_shop::Instance,
    method: flow_shop::Method,
    iterations: u64,
) -> makespan::Result<Answer> {
    let options = flow_shop::Options { method, ..flow_shop::Options::default() };
    Ok(flow_shop::solve(context, instance, &options, &limited(Some(iterations)))?.into())
}

/// Searches under an iteration limit: the same work on every engine.
fn flow_shops() -> impl Iterator<Item = Case> {
    use flow_shop::Method;
    let show = |(jobs, machines): (usize, usize)| format!("{jobs} jobs, {machines} machines");
    let make = |(jobs, machines)| instances::flow_shop(jobs, machines);
    let sizes = [(10, 5), (20, 10), (50, 20), (200, 20), (500, 20)];
    let tabu = cases(
        "tabu search, 300 generations",
        sizes,
        show,
        make,
        &[("auto", |context, shop| search(context, shop, Method::Tabu, 300))],
    );
    let beam = cases(
        "beam search, 12 passes",
        sizes,
        show,
        make,
        &[("auto", |context, shop| search(context, shop, Method::Beam, 12))],
    );
    let exact = cases(
        "branch and bound",
        [(6, 5), (8, 5), (9, 5), (10, 5), (11, 5)],
        show,
        make,
        &[("auto", |context, shop| {
            let method = Method::BranchAndBound;
            let options = flow_shop::Options { method, ..flow_shop::Options::default() };
            Ok(flow_shop::solve(context, shop, &options, &limited(None))?.into())
        })],
    );
    tabu.chain(beam).chain(exact)
}

fn packings() -> impl Iterator<Item = Case> {
    let machines = cases(
        "P||Cmax by the scheme",
        [10, 30, 100, 1_000, 3_000],
        |jobs: u64| format!("{jobs} jobs"),
        |jobs| {
            let mut random = Random(jobs);
            let times = (0..jobs).map(|_| random.within(1, 1_000)).collect();
            parallel_machines::Instance::new(times, (jobs / 5) as u32).unwrap()
        },
        &[("auto", |context, instance| {
            let method = parallel_machines::Method::Ptas;
            let options =
                parallel_machines::Options { method, ..parallel_machines::Options::default() };
            Ok(parallel_machines::solve(context, instance, &options, &limited(None))?.into())
        })],
    );
    let stock = cases(
        "cutting stock",
        [10, 30, 60, 120, 250],
        |items: u64| format!("{items} items"),
        |items| {
            let mut random = Random(items);
            let lengths: Vec<u64> = (0..items).map(|_| random.within(20, 100)).collect();
            let demands = vec![1; lengths.len()];
            cutting_stock::Instance::new(lengths, demands, 150).unwrap()
        },
        &[("auto", |context, instance| {
            let options = cutting_stock::Options::default();
            Ok(cutting_stock::solve(context, instance, &options, &limited(None))?.into())
        })],
    );
    machines.chain(stock)
}
