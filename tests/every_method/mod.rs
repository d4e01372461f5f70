//! Every problem with each of its methods, on instances that take longer than the tested limits.
#![allow(dead_code, reason = "not everybody uses all of it")]

#[path = "../processor_time/mod.rs"]
mod processor_time;
#[allow(clippy::duplicate_mod, reason = "a benchmark with these methods has it, too")]
#[path = "../../benches/common/random.rs"]
mod random;

use std::sync::Arc;
use std::time::{Duration, Instant};

use makespan::{
    Context, Error, Limits, Objective, Outcome, Report, Result, Sense, SolveOptions, Status, Value,
    cutting_stock, flow_shop, interval_dp, knapsack, lattice_dp, multidimensional_knapsack,
    parallel_machines, recurrence,
};

/// How a solve ended.
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) sense: Sense,
    pub(crate) objective: Option<Value>,
    pub(crate) bound: Option<Value>,
    /// When the solver returned.
    pub(crate) at: Instant,
    pub(crate) report: Report,
}

type Solve = Box<dyn Fn(&Context, &SolveOptions) -> Result<Ended>>;

/// A method on an instance.
pub(crate) struct Case {
    pub(crate) name: String,
    /// Whether a first heuristic always finds a solution.
    pub(crate) has_opening: bool,
    solve: Solve,
}

impl Case {
    /// Solves it; `None` if the device was asked for and the method has no kernels.
    pub(crate) fn solve(&self, context: &Context, options: &SolveOptions) -> Option<Ended> {
        match (self.solve)(context, options) {
            Ok(ended) => Some(ended),
            Err(error) if matches!(*error, Error::Unsupported(_)) => None,
            Err(error) => panic!("{}: {error}", self.name),
        }
    }
}

/// Delay of a solve.
pub(crate) struct Overshoot {
    /// From the deadline to the return.
    pub(crate) wall: Duration,
    /// Processor time of the whole process meanwhile.
    pub(crate) worked: Duration,
}

impl Case {
    /// Solves it with that time limit; `None` as in [`Case::solve`].
    pub(crate) fn overshoot(
        &self,
        context: &Context,
        limit: Duration,
        options: SolveOptions,
    ) -> Option<(Ended, Overshoot)> {
        let limits = Limits { time: Some(limit), ..options.limits };
        let deadline = Instant::now() + limit;
        let solve = || self.solve(context, &SolveOptions { limits, ..options });
        let (ended, worked) = processor_time::worked_after(limit, solve);
        let ended = ended?;
        let wall = ended.at.saturating_duration_since(deadline);
        Some((ended, Overshoot { wall, worked }))
    }
}

/// All of them. Large instances are a few hundred megabytes.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Cases(Vec::new());
    cases.parallel_machines();
    cases.cutting_stock();
    cases.flow_shop();
    cases.flow_shop_models(4_000);
    cases.flow_shop_models(20_000);
    cases.interval_dp();
    cases.recurrence();
    cases.knapsack();
    cases.multidimensional_knapsack();
    cases.lattice_dp();
    cases.0
}

/// Instances with a million numbers, which take longer to sort than a solve may overshoot.
pub(crate) fn with_millions() -> Vec<Case> {
    let mut cases = Cases(Vec::new());
    cases.large_knapsacks(1_000_000);
    cases.many_jobs(1_000_000);
    cases.many_lengths(100_000);
    cases.0
}

struct Cases(Vec<Case>);

impl Cases {
    fn add<I: 'static, S, V: Objective>(
        &mut self,
        name: String,
        has_opening: bool,
        instance: &Arc<I>,
        solve: impl Fn(&Context, &I, &SolveOptions) -> Result<Outcome<S, V>> + 'static,
    ) {
        let instance = Arc::clone(instance);
        let solve = Box::new(move |context: &Context, options: &SolveOptions| {
            let outcome = solve(context, &instance, options)?;
            let at = Instant::now();
            let Outcome { status, sense, report, .. } = outcome;
            let [objective, bound] =
                [outcome.objective, outcome.bound].map(|value| value.map(V::into));
            Ok(Ended { status, sense, objective, bound, at, report })
        });
        self.0.push(Case { name, has_opening, solve });
    }

    fn parallel_machines(&mut self) {
        let mut random = numbers(1);
        let times = |count, random: &mut dyn FnMut(u64) -> u64| {
            (0..count).map(|_| 100 + random(100_000)).collect()
        };
        let few = parallel_machines::Instance::new(times(60, &mut random), 22).unwrap();
        let many = parallel_machines::Instance::new(times(200_000, &mut random), 3_000).unwrap();
        let pinned = |instance: &parallel_machines::Instance, jobs| {
            let machines = (0..jobs).map(|job| job * job % instance.machines()).collect();
            Arc::new(instance.clone().with_pinned((0..jobs).collect(), machines).unwrap())
        };
        for (size, instance) in [
            ("60 x 22 pinned", pinned(&few, 10)),
            ("200000 x 3000 pinned", pinned(&many, 5_000)),
            ("60 x 22", Arc::new(few)),
            ("200000 x 3000", Arc::new(many)),
        ] {
            for method in parallel_machines::Method::ALL {
                let name = format!("parallel-machines {} {size}", method.name());
                self.add(name, true, &instance, move |context, instance, options| {
                    let own = parallel_machines::Options { method, ..Default::default() };
                    let solved = parallel_machines::solve(context, instance, &own, options);
                    solved.map_err(|error| match *error {
                        // The scheme's tables are too large for the larger instance.
                        Error::OutOfMemory { what, .. } => Box::new(Error::Unsupported(what)),
                        other => Box::new(other),
                    })
                });
            }
        }
    }

    fn cutting_stock(&mut self) {
        let mut random = numbers(2);
        for (types, stock) in [(300, 10_000), (100_000, 100_000_000)] {
            let lengths = (0..types).map(|_| stock / 5 + random(stock / 3)).collect();
            let instance = cutting_stock::Instance::new(lengths, vec![1; types], stock).unwrap();
            let in_use = |item| {
                let cuts = vec![cutting_stock::Cut { item, count: 1 }];
                cutting_stock::Pattern { pieces: 1, cuts }
            };
            let in_use = (0..types as u32 / 10).map(in_use).collect();
            let pinned = instance.clone().with_pinned(in_use).unwrap();
            for (text, instance) in [("", Arc::new(instance)), (" pinned", Arc::new(pinned))] {
                for method in cutting_stock::Method::ALL {
                    let name = format!("cutting-stock {} of {types}{text}", method.name());
                    self.add(name, true, &instance, move |context, instance, options| {
                        cutting_stock::solve(context, instance, &method.into(), options)
                    });
                }
            }
        }
    }

    fn flow_shop(&mut self) {
        let mut random = numbers(3);
        let large = (0..2_000 * 20).map(|_| 1 + random(99) as u32).collect();
        let large = flow_shop::Instance::new(2_000, 20, large).unwrap();
        let named = |name| flow_shop::Instance::named(name).unwrap();
        for (name, instance) in
            [("ta051", named("ta051")), ("ta111", named("ta111")), ("2000 x 20", large)]
        {
            let instance = Arc::new(instance);
            for method in flow_shop::Method::ALL {
                let name = format!("flow-shop {} {name}", method.name());
                self.add(name, true, &instance, move |context, instance, options| {
                    let own = flow_shop::Options { method, ..Default::default() };
                    flow_shop::solve(context, instance, &own, options)
                });
            }
        }
        let instance = Arc::new(named("ta051"));
        let name = "flow-shop branch-and-bound tree-pool ta051".to_owned();
        self.add(name, true, &instance, |context, instance, options| {
            use flow_shop::{ExactOptions, Exploration, Method, Options};
            let exact =
                ExactOptions { exploration: Exploration::TreePool, ..ExactOptions::default() };
            let own = Options { method: Method::BranchAndBound, exact, ..Options::default() };
            flow_shop::solve(context, instance, &own, options)
        });
    }

    /// Other objectives than the makespan, set-ups and blocking.
    fn flow_shop_models(&mut self, jobs: usize) {
        use flow_shop::{Criterion, Instance, Method, Objective, Setups};
        let (machines, families) = (5, 40);
        let mut random = numbers(9);
        let times = (0..jobs * machines).map(|_| 1 + random(99) as u32).collect();
        let plain = Instance::new(jobs, machines, times).unwrap();
        let due = (0..jobs).map(|_| random(50 * jobs as u64) as i64).collect();
        let due = plain.clone().with_due_dates(due).unwrap();
        let family_of = (0..jobs).map(|_| random(families as u64) as u32).collect();
        let setups = (0..families * families).map(|_| random(30) as u32).collect();
        let setups = Setups::between_families(families, family_of, setups).unwrap();
        let running = plain.clone().with_running_plan((0..jobs as u32).rev().collect()).unwrap();
        let stability = running.with_objective(Objective::parse("makespan+inversions").unwrap());
        let late = due.clone().with_objective(Criterion::LateJobs.into());
        for (name, instance) in [
            ("flow time", plain.clone().with_objective(Criterion::TotalFlowTime.into())),
            ("tardiness", due.with_objective(Criterion::TotalTardiness.into())),
            ("late jobs", late),
            ("families", plain.clone().with_setups(setups)),
            ("stability", stability),
            ("blocking", plain.with_blocking()),
        ] {
            let instance = Arc::new(instance.unwrap());
            let methods = [Method::Auto, Method::Neh, Method::IteratedGreedy, Method::Tabu];
            for method in methods {
                let name = format!("flow-shop {} {name} of {jobs}", method.name());
                self.add(name, true, &instance, move |context, instance, options| {
                    let own = flow_shop::Options { method, ..Default::default() };
                    flow_shop::solve(context, instance, &own, options)
                });
            }
        }
    }

    fn interval_dp(&mut self) {
        use interval_dp::{Instance, Method};
        let mut random = numbers(4);
        let mut below =
            |count: usize, end| (0..count).map(|_| 1 + random(end) as i64).collect::<Vec<_>>();
        let chain = Arc::new(Instance::matrix_chain(below(3_000, 100)).unwrap());
        let long = Arc::new(Instance::matrix_chain(below(1_000_000, 100)).unwrap());
        let tree =
            Arc::new(Instance::search_tree(&below(4_000, 1000), &below(4_001, 1000)).unwrap());
        for (method, instance) in [
            (Method::Auto, &tree),
            (Method::Auto, &long),
            (Method::HuShing, &long),
            (Method::Knuth, &tree),
            (Method::Cubic, &chain),
            (Method::Serial, &chain),
            (Method::Pipeline, &chain),
        ] {
            let name = format!("interval-dp {} of {}", method.name(), instance.points());
            // The tree of a longer one costs more than nothing.
            let has_opening = instance.points() <= 100_000;
            self.add(name, has_opening, instance, move |context, instance, options| {
                let own = interval_dp::Options { method, ..Default::default() };
                interval_dp::solve(context, instance, &own, options)
            });
        }
    }

    fn recurrence(&mut self) {
        use recurrence::{Instance, Method, Options, Output, Semiring};
        let mut random = numbers(5);
        let mut min_plus = |offsets: Vec<u64>, length| {
            let initial = (0..offsets[0]).map(|_| random(1000) as i64).collect();
            let weights = offsets.iter().map(|_| random(100) as i64).collect();
            let instance = Instance::new(Semiring::MinPlus, offsets, initial, length).unwrap();
            Arc::new(instance.with_weights(weights).unwrap())
        };
        let offsets = (0..40).rev().map(|index| 1_000 + 37 * index).collect();
        let wide = min_plus(offsets, 60_000_000);
        let jump = min_plus(vec![6_000, 4_999, 1], 1 << 60);
        let window =
            Instance::new(Semiring::MinPlus, (1..=64).rev().collect(), vec![1; 64], 60_000_000);
        let window = Arc::new(window.unwrap());
        for method in Method::ALL {
            let instance = match method {
                Method::SlidingWindow => &window,
                Method::Jump => &jump,
                _ => &wide,
            };
            for output in [Output::Last, Output::Table] {
                if method == Method::Jump && output == Output::Table {
                    continue;
                }
                let name = format!("recurrence {} {output:?}", method.name());
                self.add(name, false, instance, move |context, instance, options| {
                    let own = Options { method, output, ..Default::default() };
                    recurrence::solve(context, instance, &own, options)
                });
            }
        }
    }

    fn knapsack(&mut self) {
        use knapsack::{Instance, Method};
        let mut random = numbers(6);
        let weights: Vec<u64> = (0..2_000).map(|_| 1 + random(20_000)).collect();
        let profits = weights.iter().map(|weight| weight + 2_000).collect();
        let capacity = weights.iter().sum::<u64>() / 2 + 1;
        let dense = Instance::new(profits, weights, capacity).unwrap();
        let copies = (0..2_000).map(|item| u64::from(item % 9 == 0)).collect();
        let pinned = Arc::new(dense.clone().with_pinned(copies).unwrap());
        let dense = Arc::new(dense);
        for (text, instance) in [("", &dense), (" pinned", &pinned)] {
            for method in Method::ALL {
                let name = format!("knapsack {} of 2000{text}", method.name());
                self.add(name, true, instance, move |context, instance, options| {
                    knapsack::solve(context, instance, &method.into(), options)
                });
            }
        }
        self.add("knapsack profile of 2000".into(), false, &dense, knapsack::profile);
        let weights: Vec<u64> = (0..100).map(|_| 1 + random(20_000)).collect();
        let shared = Arc::new(Instance::new(vec![1; 100], weights, 500_000).unwrap());
        let profits: Vec<u64> = (0..100 * 2_000).map(|_| random(1000)).collect();
        self.add(
            "knapsack batch of 2000".into(),
            false,
            &shared,
            move |context, instance, options| {
                knapsack::solve_profits(context, instance, &profits, options)
            },
        );
    }

    fn large_knapsacks(&mut self, items: usize) {
        use knapsack::{Instance, Method};
        let mut random = numbers(8);
        let mut list = |end| (0..items).map(|_| 1 + random(end)).collect::<Vec<u64>>();
        let (profits, weights, copies) = (list(1_000_000), list(1_000_000), list(9));
        let capacity = weights.iter().sum::<u64>() / 2;
        let strong = weights.iter().map(|weight| weight + 2_000).collect();
        let plain = Instance::new(profits.clone(), weights.clone(), capacity).unwrap();
        let pins = (0..items as u64).map(|item| u64::from(item % 99 == 0)).collect();
        let pinned = plain.clone().with_pinned(pins).unwrap();
        let bounded = Instance::bounded(profits, weights.clone(), copies, capacity).unwrap();
        let strong = Instance::new(strong, weights.clone(), capacity).unwrap();
        let sums = Instance::subset_sum(weights, capacity + 1).unwrap();
        for (name, instance) in [
            ("0-1", plain),
            ("pinned", pinned),
            ("bounded", bounded),
            ("strongly correlated", strong),
            ("subset sum", sums),
        ] {
            let name = format!("knapsack {name} of {items}");
            self.add(name, true, &Arc::new(instance), |context, instance, options| {
                knapsack::solve(context, instance, &Method::Auto.into(), options)
            });
        }
    }

    fn many_jobs(&mut self, jobs: usize) {
        let mut random = numbers(9);
        let times = (0..jobs).map(|_| 100 + random(1_000_000)).collect();
        let plain = parallel_machines::Instance::new(times, 1_000).unwrap();
        let on = (0..1_000).map(|job| job * job % 1_000).collect();
        let pinned = plain.clone().with_pinned((0..1_000).collect(), on).unwrap();
        for (name, instance) in [("", plain), (" pinned", pinned)] {
            let name = format!("parallel-machines {jobs} x 1000{name}");
            self.add(name, true, &Arc::new(instance), |context, instance, options| {
                parallel_machines::solve(context, instance, &Default::default(), options)
            });
        }
    }

    fn many_lengths(&mut self, types: usize) {
        let mut random = numbers(10);
        let lengths = (0..types).map(|_| 1 + random(1_000_000)).collect();
        let instance = cutting_stock::Instance::new(lengths, vec![3; types], 3_000_000).unwrap();
        let name = format!("cutting-stock of {types}");
        self.add(name, true, &Arc::new(instance), |context, instance, options| {
            cutting_stock::solve(context, instance, &Default::default(), options)
        });
    }

    fn multidimensional_knapsack(&mut self) {
        use multidimensional_knapsack::{Instance, Method, solve};
        let mut random = numbers(7);
        let mut profits = vec![0; 200];
        let mut weights = Vec::new();
        // All weights but those of the first item are multiples of 3, so that no selection comes
        // near the bound. The table has 16 million cells.
        for _ in 0..3 {
            for (item, profit) in profits.iter_mut().enumerate() {
                let weight = if item == 0 { 1 } else { 3 + 3 * random(4) };
                weights.push(weight);
                *profit += 1000 * weight + random(20);
            }
        }
        let instance = Arc::new(Instance::new(profits, weights, vec![251; 3]).unwrap());
        for method in Method::ALL {
            let name = format!("multidimensional-knapsack {} of 200", method.name());
            self.add(name, true, &instance, move |context, instance, options| {
                solve(context, instance, &method.into(), options)
            });
        }
    }

    fn lattice_dp(&mut self) {
        use lattice_dp::{Options, Packing, Recurrence, Traversal};
        let packing = Packing::new((13..23).collect(), vec![4; 10], 64).unwrap();
        let packing = Arc::new(packing);
        for recurrence in Recurrence::ALL {
            let name = format!("lattice-dp pack by {}", recurrence.name());
            self.add(name, true, &packing, move |context, packing, options| {
                lattice_dp::pack(context, packing, &recurrence.into(), options)
            });
        }
        // Every way to take up to three items.
        let mut offsets = Vec::new();
        for first in 0..12 {
            for second in first..12 {
                for third in second..12 {
                    let mut vector = vec![0u32; 12];
                    [first, second, third].into_iter().for_each(|axis| vector[axis] += 1);
                    offsets.push((vector, 1));
                }
            }
        }
        (0..12).for_each(|axis| {
            offsets.push(((0..12).map(|other| u32::from(axis == other)).collect(), 1))
        });
        let lattice = Arc::new(lattice_dp::Instance::new(&[4; 12], offsets).unwrap());
        for traversal in Traversal::ALL {
            let name = format!("lattice-dp {}", traversal.name());
            self.add(name, false, &lattice, move |context, instance, options| {
                let own = Options::from(traversal);
                lattice_dp::solve(context, instance, &own, options)
            });
        }
    }
}

/// A reproducible sequence of numbers below those that it is called with.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut random = random::Random(seed);
    move |end| random.below(end)
}
