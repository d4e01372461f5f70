//! Branch and bound of the permutation flow shop: bounds only, trees below known optima, parts of
//! larger trees, and the protocol of Melab, Chakroun, Mezmaz and Tuyttens. The command line names
//! parts: `bounds`, `trees`, `fronts`, `rates`, `stops`, `protocol`; all without any. `FILE=BOUND`
//! adds an instance to the rates; `ta021`, `ta051`, `ta081` and `ta101` choose sizes of the
//! protocol. The device is the first one, or MAKESPAN_BENCH_DEVICE. Several devices with commas
//! between share the searches; only they run the trees then.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "prints tables, and says what it leaves out"
)]

use std::time::{Duration, Instant};

use makespan::flow_shop::{
    self, Bound, Branching, CheckpointOptions, ExactOptions, Exploration, HostPool, Instance,
    Method, Options, Placement, Searched, Subproblem, bound_children, search_subproblems, taillard,
};
use makespan::{Context, ContextOptions, Engine, Limits, SolveOptions};

/// Contexts of one thread, of all threads and of the device, if there is one.
struct Engines {
    one: Context,
    all: Context,
    device: Option<Context>,
    /// Whether several devices share searches.
    shared: bool,
}

fn main() {
    let listed = std::env::var("MAKESPAN_BENCH_DEVICE").unwrap_or_default();
    let mut indices = listed.split(',').filter_map(|index| index.parse().ok());
    let (index, further_devices): (_, Vec<usize>) = (indices.next(), indices.collect());
    let shared = !further_devices.is_empty();
    let one = ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
    let all = ContextOptions { threads: None, ..one.clone() };
    let device = ContextOptions {
        engine: Engine::Device,
        device: index,
        further_devices,
        ..ContextOptions::default()
    };
    let engines = Engines {
        one: Context::new(one).unwrap(),
        all: Context::new(all).unwrap(),
        device: Context::new(device)
            .map_err(|error| eprintln!("{error}: the device is left out"))
            .ok(),
        shared,
    };
    let parts: Vec<String> =
        std::env::args().skip(1).filter(|part| !part.starts_with('-')).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|name| name == part);
    if wanted("bounds") {
        bounds(&engines);
    }
    if wanted("trees") {
        trees(&engines);
    }
    if wanted("fronts") {
        fronts(&engines);
    }
    if wanted("stops") {
        stops(&engines);
    }
    if wanted("rates") {
        rates(&engines, parts.iter().filter_map(|part| part.split_once('=')));
    }
    if wanted("protocol") {
        let named = |name: &str| parts.iter().any(|part| part == name);
        let sizes = [("ta021", 80_000), ("ta051", 30_000), ("ta081", 15_000), ("ta101", 8_000)];
        let all = !sizes.iter().any(|&(name, _)| named(name));
        protocol(&engines, sizes.into_iter().filter(|&(name, _)| all || named(name)));
    }
}

/// A small generator, so that lists are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }
}

/// Subproblems with half of the jobs free, a quarter at each end.
fn half_open(instance: &Instance, count: usize) -> Vec<Subproblem> {
    let mut random = Random(1);
    let quarter = instance.jobs() / 4;
    let mut jobs: Vec<u32> = (0..instance.jobs() as u32).collect();
    let mut draw = || {
        for place in 0..2 * quarter {
            let other = place + random.below(jobs.len() - place);
            jobs.swap(place, other);
        }
        Subproblem { front: jobs[..quarter].to_vec(), back: jobs[quarter..2 * quarter].to_vec() }
    };
    (0..count).map(|_| draw()).collect()
}

/// Bounds of all children at both ends, in millions a second, without transfers.
fn bounds(engines: &Engines) {
    println!("| bounds, M/s | bound | one thread | all threads | device |");
    println!("| --- | --- | ---: | ---: | ---: |");
    for name in ["ta021", "ta051", "ta081", "ta101"] {
        let instance = taillard::find(name).unwrap().instance();
        for (bound, cpu_bounds, device_bounds) in
            [(Bound::OneMachine, 1 << 21, 1 << 25), (Bound::TwoMachine, 1 << 17, 1 << 21)]
        {
            let rate = |context: &Context, wanted: usize| {
                let parts = half_open(&instance, wanted / instance.jobs());
                let options = SolveOptions::default();
                // The best of several: the first one builds the kernels.
                let rates = (0..3).map(|_| {
                    let found =
                        bound_children(context, &instance, bound, &parts, &options).unwrap();
                    2.0 * found.values.len() as f64 / found.bounding.as_secs_f64() / 1e6
                });
                rates.fold(0.0, f64::max)
            };
            let (one, all) = (rate(&engines.one, cpu_bounds), rate(&engines.all, cpu_bounds));
            let device =
                engines.device.as_ref().map_or(f64::NAN, |device| rate(device, device_bounds));
            let size = format!("{}x{}", instance.jobs(), instance.machines());
            println!("| {size} | {} | {one:.1} | {all:.1} | {device:.1} |", bound.name());
        }
    }
}

/// Searches of whole trees.
fn search(
    context: &Context,
    instance: &Instance,
    parts: &[Subproblem],
    options: &ExactOptions,
) -> Searched {
    search_subproblems(context, instance, parts, options, &SolveOptions::default()).unwrap()
}

fn nodes(searched: &Searched) -> u64 {
    searched.report.statistics.get("nodes").unwrap()
}

/// Trees below known optima: the proofs that nothing is shorter.
fn trees(engines: &Engines) {
    println!("| instance | bound | engine | nodes | seconds | M nodes/s | M bounds/s |");
    println!("| --- | --- | --- | ---: | ---: | ---: | ---: |");
    let large = [None, None, engines.device.as_ref()];
    let small = [Some(&engines.one), Some(&engines.all), engines.device.as_ref()];
    let small = if engines.shared { large } else { small };
    let hard = (21..=30).map(|number| (format!("ta{number:03}"), Bound::OneMachine));
    let known = ["ta014", "ta030", "ta029", "ta028", "ta022", "ta050"];
    let listed = known.into_iter().map(|name| (name.to_owned(), Bound::OneMachine));
    let refined =
        ["ta014", "ta020", "ta030"].into_iter().map(|name| (name.to_owned(), Bound::Refined));
    let rows = listed.chain(refined).map(|row| (row, small)).chain(hard.map(|row| (row, large)));
    let first_hard = known.len() + 3;
    let mut all_hard = 0.0;
    for (number, ((name, bound), contexts)) in rows.enumerate() {
        let known = taillard::find(&name).unwrap();
        let instance = known.instance();
        let options = ExactOptions {
            bound,
            upper_bound: Some(known.upper_bound.into()),
            ..ExactOptions::default()
        };
        for (engine, context) in ["one thread", "all threads", "device"].into_iter().zip(contexts) {
            let Some(context) = context else { continue };
            let root = [Subproblem::default()];
            let mut best = search(context, &instance, &root, &options);
            if best.report.seconds < 1.0 {
                let again = search(context, &instance, &root, &options);
                best = if again.report.seconds < best.report.seconds { again } else { best };
            }
            let seconds = best.report.seconds;
            if number >= first_hard {
                all_hard += seconds;
            }
            let [nodes, bounds] =
                ["nodes", "bounds"].map(|name| best.report.statistics.get(name).unwrap());
            let rate = |count: u64| count as f64 / seconds / 1e6;
            let (node_rate, bound_rate) = (rate(nodes), rate(bounds));
            let bound = bound.name();
            println!(
                "| {name} | {bound} | {engine} | {nodes} | {seconds:.4} | {node_rate:.2} | {bound_rate:.0} |"
            );
        }
    }
    println!("ta021 to ta030 on the device together: {all_hard:.2} s");
}

/// The largest trees with forward branching only.
fn fronts(engines: &Engines) {
    for name in ["ta030", "ta020", "ta022"] {
        let known = taillard::find(name).unwrap();
        let options = ExactOptions {
            branching: Branching::Forward,
            upper_bound: Some(known.upper_bound.into()),
            ..ExactOptions::default()
        };
        for context in [Some(&engines.all), engines.device.as_ref()].into_iter().flatten() {
            let searched = search(context, &known.instance(), &[Subproblem::default()], &options);
            let device = searched.report.device.as_deref().unwrap_or("all threads");
            println!(
                "{name} forward: {} nodes in {:.2} s, {device}",
                nodes(&searched),
                searched.report.seconds
            );
        }
    }
}

/// Time that a search needs after its time limit, with all open nodes written to a file.
fn stops(engines: &Engines) {
    println!(
        "| instance | engine | limit, s | beyond it, ms | file, MB | read and stopped again, ms |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let contexts = [("all threads", Some(&engines.all)), ("device", engines.device.as_ref())];
    for name in ["ta021", "ta056", "ta081", "ta101"] {
        for (engine, context) in contexts {
            let Some(context) = context else { continue };
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("search");
            let exact = ExactOptions {
                checkpoint: Some(CheckpointOptions::new(&path)),
                upper_bound: Some(taillard::find(name).unwrap().upper_bound.into()),
                ..ExactOptions::default()
            };
            let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
            let instance = Instance::named(name).unwrap();
            for limit in [0.15, 1.0, 3.0].map(Duration::from_secs_f64) {
                let run = |limit| {
                    let limits = Limits { time: Some(limit), ..Limits::default() };
                    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
                    let start = Instant::now();
                    let outcome =
                        flow_shop::solve(context, &instance, &options, &solve_options).unwrap();
                    let beyond = start.elapsed().saturating_sub(limit).as_secs_f64() * 1e3;
                    (beyond - outcome.report.setup_seconds * 1e3, outcome.report.interrupted)
                };
                // The first one builds kernels.
                run(Duration::from_millis(50));
                std::fs::remove_file(&path).unwrap();
                let (beyond, interrupted) = run(limit);
                if !interrupted {
                    continue;
                }
                let megabytes = std::fs::metadata(&path).unwrap().len() as f64 / 1e6;
                let (again, _) = run(Duration::from_millis(1));
                let seconds = limit.as_secs_f64();
                println!(
                    "| {name} | {engine} | {seconds} | {beyond:.0} | {megabytes:.1} | {again:.0} |"
                );
            }
        }
    }
}

/// Trees that take too long, for some seconds of the device.
fn rates<'a>(engines: &Engines, files: impl Iterator<Item = (&'a str, &'a str)>) {
    let Some(device) = &engines.device else { return };
    let known = ["ta051", "ta081", "ta101"].map(|name| {
        let known = taillard::find(name).unwrap();
        (name, known.instance(), u64::from(known.upper_bound))
    });
    let read = |(path, bound): (&'a str, &str)| {
        (path, Instance::read(path).unwrap(), bound.parse().unwrap())
    };
    println!("| instance | bound | upper bound | nodes | seconds | M nodes/s | M bounds/s |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for (name, instance, upper_bound) in known.into_iter().chain(files.map(read)) {
        for bound in [Bound::OneMachine, Bound::Refined] {
            let options =
                ExactOptions { bound, upper_bound: Some(upper_bound), ..ExactOptions::default() };
            let limits = Limits { time: Some(Duration::from_secs(3)), ..Limits::default() };
            let solve_options = SolveOptions { limits, ..SolveOptions::default() };
            let root = [Subproblem::default()];
            let searched =
                search_subproblems(device, &instance, &root, &options, &solve_options).unwrap();
            let seconds = searched.report.seconds;
            let [nodes, bounds] =
                ["nodes", "bounds"].map(|name| searched.report.statistics.get(name).unwrap());
            let rate = |count: u64| count as f64 / seconds / 1e6;
            let (node_rate, bound_rate, bound) = (rate(nodes), rate(bounds), bound.name());
            println!(
                "| {name} | {bound} | {upper_bound} | {nodes} | {seconds:.2} | {node_rate:.1} | {bound_rate:.0} |"
            );
        }
    }
}

/// One table of the paper: how the host's pool is bounded, and the speed-ups printed there for 200
/// jobs, from pools of 4,096 nodes on; none where the table is missing in the source at hand.
struct Scenario {
    name: &'static str,
    sorted: bool,
    branch_free: bool,
    placement: Placement,
    printed: [Option<f64>; 7],
}

const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "plain",
        sorted: false,
        branch_free: false,
        placement: Placement::Global,
        printed: [None, None, None, None, None, None, Some(71.69)],
    },
    Scenario {
        name: "sorted, branch-free",
        sorted: true,
        branch_free: true,
        placement: Placement::Global,
        printed: [
            Some(46.63),
            Some(60.88),
            Some(63.80),
            Some(67.51),
            Some(73.47),
            Some(75.94),
            Some(77.46),
        ],
    },
    Scenario {
        name: "times on chip",
        sorted: true,
        branch_free: true,
        placement: Placement::Times,
        printed: [
            Some(54.03),
            Some(67.75),
            Some(68.43),
            Some(72.17),
            Some(82.01),
            Some(88.35),
            Some(90.51),
        ],
    },
    Scenario {
        name: "Johnson on chip",
        sorted: true,
        branch_free: true,
        placement: Placement::Johnson,
        printed: [
            Some(63.01),
            Some(79.40),
            Some(81.40),
            Some(84.02),
            Some(93.61),
            Some(96.56),
            Some(97.83),
        ],
    },
    Scenario {
        name: "both on chip",
        sorted: true,
        branch_free: true,
        placement: Placement::Both,
        printed: [None; 7],
    },
];

/// The paper's sizes, with a list of subproblems for each: both searches explore the same nodes.
fn protocol<'a>(engines: &Engines, sizes: impl Iterator<Item = (&'a str, u64)>) {
    let Some(device) = &engines.device else { return };
    println!(
        "| jobs | nodes | one thread, s | engine | 4096 | 8192 | 16384 | 32768 | 65536 | 131072 | 262144 |"
    );
    println!("| ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, wanted) in sizes {
        let known = taillard::find(name).unwrap();
        let instance = known.instance();
        let options = ExactOptions {
            bound: Bound::TwoMachine,
            branching: Branching::Forward,
            upper_bound: Some(known.upper_bound.into()),
            ..ExactOptions::default()
        };
        let parts = list(&engines.one, &instance, &options, wanted);
        let sequential = search(&engines.one, &instance, &parts, &options);
        let cpu_seconds = sequential.report.seconds;
        let row = format!("| {} | {} | {cpu_seconds:.2} |", instance.jobs(), nodes(&sequential));
        let speedup = |exploration| {
            let options = ExactOptions { exploration, ..options.clone() };
            // The first search builds the kernels, which counts as setup.
            let searched = search(device, &instance, &parts, &options);
            // A ratio of times counts only where the trees are the same.
            assert_eq!(nodes(&searched), nodes(&sequential));
            cpu_seconds / searched.report.seconds
        };
        println!("{row} on-device | {:.1} | | | | | | |", speedup(Exploration::OnDevice));
        for scenario in &SCENARIOS {
            let Scenario { name, sorted, branch_free, placement, printed } = *scenario;
            let cells = (12..=18).zip(printed).map(|(exponent, printed)| {
                let pool = HostPool { size: 1 << exponent, sorted, branch_free, placement };
                let ours = speedup(Exploration::HostPool(pool));
                match printed.filter(|_| instance.jobs() == 200) {
                    Some(printed) => format!(" {ours:.2} ({printed}) |"),
                    None => format!(" {ours:.2} |"),
                }
            });
            println!("{row} {name} |{}", cells.collect::<String>());
        }
    }
}

/// Subproblems of a search cut short, each small enough, that together have about `wanted` nodes.
fn list(
    context: &Context,
    instance: &Instance,
    options: &ExactOptions,
    wanted: u64,
) -> Vec<Subproblem> {
    let limited = |parts: &[Subproblem], iterations| {
        let limits = Limits { iterations: Some(iterations), ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        search_subproblems(context, instance, parts, options, &solve_options).unwrap()
    };
    let mut open = limited(&[Subproblem::default()], 2_000).open;
    // The deepest first: they have the smallest trees. If the first ones are too large, so are the
    // others.
    open.sort_by_key(|part| std::cmp::Reverse(part.front.len() + part.back.len()));
    let (mut found, mut sum, mut too_large) = (Vec::new(), 0, 0);
    for part in open {
        let searched = limited(std::slice::from_ref(&part), wanted / 4);
        if searched.open.is_empty() {
            sum += nodes(&searched);
            found.push(part);
        } else {
            too_large += 1;
        }
        if sum >= wanted || too_large == 4 {
            break;
        }
    }
    found
}
