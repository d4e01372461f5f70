//! Every solver with kernels, on instances of some milliseconds.

use std::sync::Arc;

use makespan::interval_dp::{CellCost, Expression, SplitCost};
use makespan::options::Named;
use makespan::recurrence::{Operator, Semiring};
use makespan::{
    Context, Engine, Limits, Objective, Outcome, Report, Result, SolveOptions, cutting_stock,
    flow_shop, interval_dp, knapsack, lattice_dp, multidimensional_knapsack, parallel_machines,
    recurrence,
};

/// What is compared, and how the solves went.
pub(crate) struct Solved {
    pub(crate) answer: String,
    pub(crate) reports: Vec<Report>,
}

type Solve = Box<dyn Fn(&Context, &SolveOptions) -> Result<Solved>>;

/// A method on an instance.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Limits that make the result independent of time.
    pub(crate) limits: Limits,
    pub(crate) solve: Solve,
}

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    lattices(&mut cases);
    packings(&mut cases);
    intervals(&mut cases);
    foldings(&mut cases);
    recurrences(&mut cases);
    knapsacks(&mut cases);
    flow_shops(&mut cases);
    large(&mut cases);
    cases
}

fn add(
    cases: &mut Vec<Case>,
    name: &'static str,
    solve: impl Fn(&Context, &SolveOptions) -> Result<Solved> + 'static,
) {
    cases.push(Case { name, limits: Limits::default(), solve: Box::new(solve) });
}

/// The whole outcome.
fn whole<S: std::fmt::Debug, V: Objective>(outcome: Outcome<S, V>) -> Solved {
    let solution = format!(" {:?}", outcome.solution);
    let solved = value(outcome);
    Solved { answer: solved.answer + &solution, ..solved }
}

/// The outcome without its solution, of which there may be several.
fn value<S, V: Objective>(outcome: Outcome<S, V>) -> Solved {
    let [objective, bound] = [outcome.objective, outcome.bound].map(|value| value.map(V::into));
    let answer = format!("{:?} {objective:?} {bound:?}", outcome.status);
    Solved { answer, reports: vec![outcome.report] }
}

fn together(all: impl IntoIterator<Item = Solved>) -> Solved {
    let (answers, reports): (Vec<_>, Vec<_>) =
        all.into_iter().map(|one| (one.answer, one.reports)).unzip();
    Solved { answer: answers.join("\n"), reports: reports.into_iter().flatten().collect() }
}

/// Options by their names.
fn options<O: Named + Default>(values: &[(&str, &str)]) -> O {
    let mut options = O::default();
    values.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    options
}

/// Reproducible numbers from 1 to `most`.
fn numbers(count: usize, most: u64, seed: u64) -> Vec<u64> {
    let mut state = seed + 1;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        1 + (state >> 33) % most
    };
    (0..count).map(next).collect()
}

fn signed(count: usize, most: u64, seed: u64) -> Vec<i64> {
    numbers(count, most, seed).into_iter().map(|number| number as i64).collect()
}

/// Steps along one axis or two.
fn lattice(sizes: &[u32]) -> lattice_dp::Instance {
    let pairs = (0..sizes.len()).flat_map(|one| (one..sizes.len()).map(move |other| (one, other)));
    let mut offsets: Vec<(Vec<u32>, u16)> = Vec::new();
    for (one, other) in pairs {
        let mut vector = vec![0; sizes.len()];
        vector[one] += 1;
        vector[other] += 1;
        offsets.push((vector, 2 + ((3 * one + other) % 4) as u16));
    }
    for one in 0..sizes.len() {
        let mut vector = vec![0; sizes.len()];
        vector[one] = 1;
        offsets.push((vector, 2));
    }
    lattice_dp::Instance::new(sizes, offsets).unwrap()
}

fn lattices(cases: &mut Vec<Case>) {
    let ways: [(&str, &[(&str, &str)]); 6] = [
        ("lattice slabs", &[("launches", "stepwise")]),
        ("lattice slabs at once", &[("launches", "persistent")]),
        ("lattice levels", &[("traversal", "levels"), ("launches", "stepwise")]),
        ("lattice levels at once", &[("traversal", "levels"), ("launches", "persistent")]),
        (
            "lattice blocks",
            &[("traversal", "blocks"), ("partition", "3"), ("launches", "stepwise")],
        ),
        (
            "lattice blocks at once",
            &[("traversal", "blocks"), ("partition", "3"), ("launches", "persistent")],
        ),
    ];
    for (name, values) in ways {
        let (instance, own) = (lattice(&[12, 12, 12, 12]), options(values));
        add(cases, name, move |context, options| {
            lattice_dp::solve(context, &instance, &own, options).map(whole)
        });
    }
    let small = lattice(&[5, 6, 7, 4]);
    add(cases, "lattice batch", move |context, options| {
        let outcomes =
            lattice_dp::solve_batch(context, &[&small; 30], &Default::default(), options)?;
        Ok(together(outcomes.into_iter().map(whole)))
    });
    let packing = lattice_dp::Packing::new(vec![31, 24, 17, 11], vec![9, 8, 7, 6], 60).unwrap();
    add(cases, "lattice unit steps", move |context, options| {
        let unit_steps = lattice_dp::Recurrence::UnitSteps.into();
        lattice_dp::pack(context, &packing, &unit_steps, options).map(whole)
    });
}

fn packings(cases: &mut Vec<Case>) {
    // Two to three jobs for each machine: heuristics leave some of them to the tables.
    let machines: Vec<_> = (3..9)
        .map(|size| {
            let times = numbers(5 + 2 * size, 80, size as u64).into_iter().map(|time| 19 + time);
            let machines = 2 + size as u32 * 4 / 5;
            parallel_machines::Instance::new(times.collect(), machines).unwrap()
        })
        .collect();
    let scheme: parallel_machines::Options = options(&[("method", "ptas"), ("epsilon", "0.25")]);
    add(cases, "parallel machines", move |context, options| {
        let solve = |instance| parallel_machines::solve(context, instance, &scheme, options);
        let outcomes = machines.iter().map(solve).collect::<Result<Vec<_>>>()?;
        Ok(together(outcomes.into_iter().map(whole)))
    });
    // Column generation leaves these to the table.
    let patterns = [
        (vec![550, 259, 371, 243], vec![4, 5, 5, 5]),
        (vec![316, 388, 430, 276, 332], vec![4, 2, 3, 4, 4]),
    ]
    .map(|(lengths, demands)| cutting_stock::Instance::new(lengths, demands, 1000).unwrap());
    add(cases, "cutting stock", move |context, options| {
        let exact = cutting_stock::Options::from(cutting_stock::Method::Exact);
        let solve = |instance| cutting_stock::solve(context, instance, &exact, options);
        let outcomes = patterns.iter().map(solve).collect::<Result<Vec<_>>>()?;
        Ok(together(outcomes.into_iter().map(whole)))
    });
}

fn interval<V: interval_dp::Number + 'static>(
    cases: &mut Vec<Case>,
    name: &'static str,
    instance: interval_dp::Instance<V>,
    values: &[(&str, &str)],
) {
    let own: interval_dp::Options = options(values);
    add(cases, name, move |context, options| {
        interval_dp::solve(context, &instance, &own, options).map(whole)
    });
}

fn intervals(cases: &mut Vec<Case>) {
    use interval_dp::Instance;
    let cubic: &[_] = &[("method", "cubic")];
    let tree = || Instance::search_tree(&signed(299, 50, 2), &signed(300, 50, 3)).unwrap();
    interval(cases, "matrix chain", Instance::matrix_chain(signed(300, 50, 1)).unwrap(), cubic);
    interval(cases, "search tree", tree(), cubic);
    interval(cases, "search tree by Knuth's bound", tree(), &[("method", "knuth")]);
    for (name, method) in [("search tree by cells", "cm-4"), ("search tree by groups", "cm-2")] {
        let (instance, mapping, plain) = (tree(), options(&[("method", method)]), options(cubic));
        // Only a device has these mappings.
        add(cases, name, move |context, options| {
            let on_device = options.engine == Some(Engine::Device);
            let own = if on_device { &mapping } else { &plain };
            interval_dp::solve(context, &instance, own, options).map(whole)
        });
    }
    let short = Instance::matrix_chain(signed(99, 50, 5)).unwrap();
    interval(cases, "chain by a pipeline", short, &[("method", "pipeline")]);
    let real = numbers(120, 50, 4).into_iter().map(|number| number as f64 / 8.0).collect();
    interval(cases, "real matrix chain", Instance::<f64>::matrix_chain(real).unwrap(), cubic);
    let expression = Expression {
        function: Some(Arc::new(|i, k, j| ((i * k + j) % 97) as i64)),
        magnitude: 97,
        source: Some("(VALUE)((i * k + j) % 97)".to_owned()),
        data: Vec::new(),
    };
    let custom = Instance::custom(
        interval_dp::Semiring::MinPlus,
        vec![0i64; 99],
        CellCost::None,
        SplitCost::Expression(expression),
    );
    interval(cases, "custom intervals", custom.unwrap(), cubic);
    let own: interval_dp::Options = options(cubic);
    add(cases, "interval batch", move |context, options| {
        let chain = |seed| Instance::matrix_chain(signed(20, 50, seed)).unwrap();
        let chains: Vec<_> = (0..40).map(chain).collect();
        let chains: Vec<_> = chains.iter().collect();
        let outcomes = interval_dp::solve_batch(context, &chains, &own, options)?;
        Ok(together(outcomes.into_iter().map(whole)))
    });
}

fn foldings(cases: &mut Vec<Case>) {
    use interval_dp::folding::{Instance, Model, Nussinov, solve};
    for (name, model) in [
        ("RNA folding by energies", Model::Zuker(Box::default())),
        ("RNA folding by pairs", Model::Nussinov(Nussinov::default())),
    ] {
        let instance = Instance::random(90, 7, model, &Limits::default()).unwrap();
        add(cases, name, move |context, options| {
            solve(context, &instance, &Default::default(), options).map(whole)
        });
    }
}

fn sums(
    cases: &mut Vec<Case>,
    name: &'static str,
    instance: recurrence::Instance,
    values: &[(&str, &str)],
) {
    let own: recurrence::Options = options(values);
    add(cases, name, move |context, options| {
        recurrence::solve(context, &instance, &own, options).map(whole)
    });
}

fn recurrences(cases: &mut Vec<Case>) {
    let offsets = || vec![50, 30, 11, 7];
    let min_plus = |length| {
        let initial = signed(50, 100, 9);
        recurrence::Instance::new(Semiring::MinPlus, offsets(), initial, length)
            .and_then(|instance| instance.with_weights(vec![9, 5, 3, 2]))
            .unwrap()
    };
    for (name, method) in [
        ("recurrence sequential", "sequential"),
        ("recurrence tournament", "tournament"),
        ("recurrence pipeline", "pipeline"),
        ("recurrence blocked", "blocked"),
    ] {
        sums(cases, name, min_plus(6_000), &[("method", method)]);
    }
    let last: &[_] = &[("method", "blocked"), ("values", "last")];
    sums(cases, "recurrence ring", min_plus(60_000), last);
    let operator = Operator {
        source: Some("long combine(long left, long right) { return left ^ right; }".to_owned()),
        combine: Some(Arc::new(|left, right| left ^ right)),
        ..Operator::default()
    };
    let initial = signed(50, 1 << 30, 8);
    let custom =
        recurrence::Instance::new(Semiring::Custom(operator), offsets(), initial, 3_000).unwrap();
    sums(cases, "custom recurrence", custom, &[("method", "blocked")]);
    let initial = signed(50 * 20, 100, 7);
    let many =
        recurrence::Instance::batch(Semiring::MinPlus, offsets(), initial, 1_000, 20).unwrap();
    sums(cases, "recurrence batch", many, &[("method", "blocked")]);
}

fn knapsacks(cases: &mut Vec<Case>) {
    let dense = || knapsack::Options::from(knapsack::Method::Dense);
    let weights = [numbers(30, 60, 1), numbers(10, 3_000, 2)].concat();
    let profits = weights.iter().zip(numbers(40, 30, 3)).map(|(weight, more)| weight + more);
    let items = knapsack::Instance::new(profits.collect(), weights, 9_000).unwrap();
    add(cases, "knapsack", move |context, options| {
        knapsack::solve(context, &items, &dense(), options).map(whole)
    });
    let sums = knapsack::Instance::subset_sum(numbers(60, 4_000, 4), 60_000).unwrap();
    add(cases, "subset sum", move |context, options| {
        knapsack::solve(context, &sums, &dense(), options).map(whole)
    });
    let shared = knapsack::Instance::new(vec![1; 12], numbers(12, 40, 5), 120).unwrap();
    let profits = numbers(12 * 50, 99, 6);
    add(cases, "knapsack batch", move |context, options| {
        knapsack::solve_profits(context, &shared, &profits, options).map(whole)
    });
    let items = knapsack_of_dimensions(16, &[9, 12, 60]);
    add(cases, "multidimensional knapsack", move |context, options| {
        use multidimensional_knapsack::{Method, solve};
        solve(context, &items, &Method::Dense.into(), options).map(whole)
    });
}

/// The profits are so near to the weights that bounds decide few items.
fn knapsack_of_dimensions(items: usize, capacities: &[u64]) -> multidimensional_knapsack::Instance {
    let mut profits = numbers(items, 9, 7);
    let mut weights = Vec::new();
    for (&capacity, seed) in capacities.iter().zip(8..) {
        let own = numbers(items, (4 * capacity / items as u64).max(1), seed);
        let shares = own.iter().map(|weight| 1000 * weight / (capacity + 1));
        profits.iter_mut().zip(shares).for_each(|(profit, share)| *profit += share);
        weights.extend(own);
    }
    multidimensional_knapsack::Instance::new(profits, weights, capacities.to_vec()).unwrap()
}

fn times(count: usize, most: u64, seed: u64) -> Vec<u32> {
    numbers(count, most, seed).into_iter().map(|time| time as u32).collect()
}

fn small_shop(seed: u64) -> flow_shop::Instance {
    flow_shop::Instance::new(10, 4, times(10 * 4, 99, seed)).unwrap()
}

fn shop(
    cases: &mut Vec<Case>,
    name: &'static str,
    iterations: Option<u64>,
    values: &[(&str, &str)],
) {
    shop_of(cases, small_shop(1), name, iterations, values);
}

fn shop_of(
    cases: &mut Vec<Case>,
    instance: flow_shop::Instance,
    name: &'static str,
    iterations: Option<u64>,
    values: &[(&str, &str)],
) {
    let own: flow_shop::Options = options(values);
    let solve = move |context: &Context, options: &SolveOptions| {
        let is_search = iterations.is_some();
        let outcome = flow_shop::solve(context, &instance, &own, options)?;
        Ok(if is_search { whole(outcome) } else { value(outcome) })
    };
    add(cases, name, solve);
    cases.last_mut().unwrap().limits.iterations = iterations;
}

fn flow_shops(cases: &mut Vec<Case>) {
    let proof = ("method", "branch-and-bound");
    shop(cases, "flow shop on the device", None, &[proof]);
    shop(cases, "flow shop from the host's pool", None, &[proof, ("exploration", "host-pool")]);
    shop(cases, "flow shop by trees of a pool", None, &[proof, ("exploration", "tree-pool")]);
    shop(cases, "flow shop auto", Some(3), &[]);
    shop(cases, "beam search", Some(2), &[("method", "beam"), ("beam_width", "64")]);
    let flow_time = flow_shop::Criterion::TotalFlowTime;
    let by_flow_time = || small_shop(1).with_objective(flow_time.into()).unwrap();
    let beam = [("method", "beam"), ("beam_width", "64")];
    shop_of(cases, by_flow_time(), "flow-time beam search", Some(2), &beam);
    shop_of(cases, by_flow_time(), "flow shop by flow time", None, &[proof]);
    let greedy = [("method", "iterated-greedy"), ("trajectories", "2")];
    shop_of(cases, by_flow_time(), "iterated greedy search", Some(5), &greedy);
    shop(cases, "tabu search", Some(12), &[("method", "tabu"), ("trajectories", "2")]);
    let swaps = [("method", "tabu"), ("trajectories", "2"), ("neighbourhood", "swap")];
    shop(cases, "tabu search by swaps", Some(12), &swaps);
    let setups = flow_shop::Setups::between_jobs(10, times(10 * 10, 40, 2)).unwrap();
    let with_setups = small_shop(1).with_setups(setups).unwrap();
    let tabu = [("method", "tabu"), ("trajectories", "2")];
    shop_of(cases, with_setups, "tabu search with set-ups", Some(12), &tabu);
    let variants: Vec<_> = (1..=6).map(|seed| small_shop(seed).with_blocking().unwrap()).collect();
    let own: flow_shop::Options = options(&greedy);
    add(cases, "flow shop batch", move |context, options| {
        let variants: Vec<_> = variants.iter().collect();
        let outcomes = flow_shop::solve_batch(context, &variants, &own, options)?;
        Ok(together(outcomes.into_iter().map(whole)))
    });
    cases.last_mut().unwrap().limits.iterations = Some(5);
}

/// Instances that `auto` gives to a device with many compute units.
fn large(cases: &mut Vec<Case>) {
    let table = lattice(&[16, 16, 16, 16, 12]);
    add(cases, "large lattice", move |context, options| {
        lattice_dp::solve(context, &table, &Default::default(), options).map(whole)
    });
    let chain = interval_dp::Instance::matrix_chain(signed(1_200, 50, 1)).unwrap();
    // Fast runs take all cases named "matrix chain".
    interval(cases, "large chain of matrices", chain, &[("method", "cubic")]);
    let initial = signed(8_000, 100, 9);
    let offsets = (0..64).map(|index| 8_000 - 61 * index).collect();
    let sum = recurrence::Instance::new(Semiring::MinPlus, offsets, initial, 400_000).unwrap();
    sums(cases, "large recurrence", sum, &[("method", "blocked")]);
    let weights = numbers(120, 20_000, 1);
    let profits = weights.iter().map(|weight| weight + 2_000).collect();
    let items = knapsack::Instance::new(profits, weights, 500_000).unwrap();
    add(cases, "large knapsack", move |context, options| {
        let dense = knapsack::Options::from(knapsack::Method::Dense);
        knapsack::solve(context, &items, &dense, options).map(whole)
    });
}
