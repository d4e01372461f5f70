//! Pinned work of parallel machines, cutting stock and the knapsack, against exhaustive search, and
//! the promises that every outcome keeps.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use makespan::{
    Context, ContextOptions, Control, Engine, Error, Limits, Outcome, Progress, ProgressCallback,
    SolveOptions, Status, Value,
};
use proptest::prelude::*;

fn context(threads: usize) -> Context {
    let engine = Engine::Cpu;
    Context::new(ContextOptions { engine, threads: Some(threads), ..ContextOptions::default() })
        .unwrap()
}

fn limited(limits: Limits) -> SolveOptions {
    SolveOptions { limits, ..SolveOptions::default() }
}

/// Limits that end a solve after its first heuristic, or in the middle.
fn short() -> [SolveOptions; 3] {
    [
        limited(Limits { time: Some(Duration::ZERO), ..Limits::default() }),
        limited(Limits { iterations: Some(0), ..Limits::default() }),
        limited(Limits { iterations: Some(1), ..Limits::default() }),
    ]
}

/// Checks what an outcome says, and that its optimum is this one.
fn check<S>(outcome: &Outcome<S>, value: impl Fn(&S) -> i64, optimum: i64, is_cost: bool) {
    let found = value(outcome.solution.as_ref().unwrap());
    let bound = outcome.bound.unwrap();
    assert_eq!(outcome.objective, Some(found));
    assert_eq!(outcome.status == Status::Optimal, found == bound);
    let (low, high) = if is_cost { (bound, found) } else { (found, bound) };
    assert!(low <= optimum && optimum <= high, "{low} {optimum} {high}");
    let last = outcome.report.trace.last().unwrap();
    assert_eq!((last.objective, last.bound), (Some(found.into()), Some(bound.into())));
}

/// Solves with a callback that evaluates each solution it is shown, and compares the values.
fn follow<S: 'static>(
    value: impl Fn(&S) -> i64 + Send + Sync + 'static,
    limits: Limits,
    solve: impl FnOnce(&SolveOptions) -> Outcome<S>,
) -> Outcome<S> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    let progress: ProgressCallback = Arc::new(move |progress: &Progress<'_>| {
        let read = progress.incumbent::<S>().map(|solution| Value::Whole(value(solution)));
        kept.lock().unwrap().push((progress.phase, progress.objective, read, progress.bound));
        Control::Continue
    });
    let outcome = solve(&SolveOptions { limits, progress: Some(progress), ..Default::default() });
    let heard = heard.lock().unwrap();
    for (phase, told, read, _) in &*heard {
        assert_eq!(told, read, "{phase}");
    }
    let (phase, told, _, bound) = heard.last().copied().unwrap();
    assert_eq!((phase, told), ("end", outcome.objective.map(Value::Whole)));
    assert_eq!(bound, outcome.bound.map(Value::Whole));
    assert!(heard.iter().any(|(phase, _, read, _)| *phase != "end" && read.is_some()));
    outcome
}

mod machines {
    use makespan::parallel_machines::{Instance, Method, Options, Schedule, solve, solve_batch};

    use super::*;

    const METHODS: [Method; 4] = [Method::Auto, Method::Lpt, Method::Multifit, Method::Exact];

    /// The least makespan of the jobs from `job` on.
    fn exhaustive(instance: &Instance, job: usize, loads: &mut [u64]) -> u64 {
        let Some(&time) = instance.times().get(job) else { return *loads.iter().max().unwrap() };
        let pin = instance.pinned().iter().position(|&pinned| pinned as usize == job);
        let pin = pin.map(|position| instance.pinned_machines()[position] as usize);
        let mut best = u64::MAX;
        for machine in 0..loads.len() {
            if pin.is_none_or(|pin| pin == machine) {
                loads[machine] += time;
                best = best.min(exhaustive(instance, job + 1, loads));
                loads[machine] -= time;
            }
        }
        best
    }

    fn value(instance: &Instance) -> impl Fn(&Schedule) -> i64 + Send + Sync + use<> {
        let instance = instance.clone();
        move |schedule| schedule.makespan(&instance).unwrap() as i64
    }

    fn instances() -> impl Strategy<Value = Instance> {
        let time = prop_oneof![0u64..4, 1u64..30, 50u64..100, 1u64..1000];
        let job = (time, prop::option::weighted(0.4, any::<u32>()));
        (prop::collection::vec(job, 1..8), 1u32..5).prop_map(|(jobs, machines)| {
            let times = jobs.iter().map(|job| job.0).collect();
            let pins =
                (0..).zip(&jobs).filter_map(|(job, (_, pin))| Some((job, (*pin)? % machines)));
            let (jobs, pins) = pins.unzip();
            Instance::new(times, machines).unwrap().with_pinned(jobs, pins).unwrap()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn optimum_and_bounds(instance in instances(), k in 1u32..8) {
            let context = context(1);
            let optimum = exhaustive(&instance, 0, &mut vec![0; instance.machines() as usize]);
            for method in METHODS {
                let epsilon = 1.0 / f64::from(k);
                let precise = Options { epsilon, ..Options::default() };
                let options = match method {
                    Method::Lpt | Method::Multifit => Options::default(),
                    _ => precise,
                };
                let options = Options { method, ..options };
                let outcome = follow(value(&instance), Limits::default(), |solve_options| {
                    solve(&context, &instance, &options, solve_options).unwrap()
                });
                check(&outcome, value(&instance), optimum as i64, true);
                prop_assert!(method != Method::Exact || outcome.status == Status::Optimal);
                let (makespan, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
                let is_precise = makespan * i64::from(k) <= bound * (i64::from(k) + 1);
                prop_assert!(method != Method::Auto || is_precise, "{bound} {makespan}");
                for limits in short() {
                    let outcome = solve(&context, &instance, &options, &limits).unwrap();
                    check(&outcome, value(&instance), optimum as i64, true);
                }
            }
        }

        #[test]
        fn a_start_is_never_lost(instance in instances(), places in prop::collection::vec(any::<u32>(), 8)) {
            let mut plan: Vec<u32> =
                (0..instance.jobs()).map(|job| places[job] % instance.machines()).collect();
            for (&job, &machine) in instance.pinned().iter().zip(instance.pinned_machines()) {
                plan[job as usize] = machine;
            }
            let start = Schedule::new(plan);
            let most = value(&instance)(&start);
            for method in METHODS {
                let free = Options { method, ..Options::default() };
                let own = Options { start: Some(start.clone()), ..free.clone() };
                for limits in short() {
                    let found = solve(&context(1), &instance, &own, &limits).unwrap().objective;
                    let other = solve(&context(1), &instance, &free, &limits).unwrap().objective;
                    prop_assert!(found <= Some(most).min(other));
                }
            }
        }
    }

    #[test]
    fn larger_instances_are_proved_with_any_number_of_threads() {
        let times: Vec<u64> = (0..120).map(|job| 200 + job * 7919 % 801).collect();
        let instance = Instance::new(times, 17).unwrap();
        let (jobs, machines) = ((0..20).collect(), (0..20).map(|job| job * job % 7).collect());
        let instance = instance.with_pinned(jobs, machines).unwrap();
        let run = |threads| {
            follow(value(&instance), Limits::default(), |solve_options| {
                solve(&context(threads), &instance, &Options::default(), solve_options).unwrap()
            })
        };
        let (one, three) = (run(1), run(3));
        assert_eq!(one.status, Status::Optimal);
        assert_eq!((one.solution, one.bound), (three.solution, three.bound));
    }

    #[test]
    fn extremes() {
        let huge = 1u64 << 60;
        for (times, machines, jobs, pins, optimum) in [
            (vec![7], u32::MAX, vec![0], vec![u32::MAX - 1], 7),
            (vec![7, 5], u32::MAX, vec![1], vec![u32::MAX - 1], 7),
            (vec![0, 0], 2, vec![0, 1], vec![1, 1], 0),
            (vec![0, 3], 2, vec![0], vec![1], 3),
            (vec![4, 4, 4], 3, vec![0, 1], vec![2, 2], 8),
            (vec![huge, huge, 1, 2], 2, vec![0], vec![1], huge + 2),
        ] {
            let instance = Instance::new(times, machines).unwrap().with_pinned(jobs, pins).unwrap();
            for method in METHODS {
                let options = Options { method, ..Options::default() };
                let outcome =
                    solve(&context(1), &instance, &options, &SolveOptions::default()).unwrap();
                check(&outcome, value(&instance), optimum as i64, true);
                assert_eq!(outcome.objective, Some(optimum as i64), "{instance:?} {method:?}");
            }
        }
    }

    #[test]
    fn what_pins_do_not_allow_is_refused() {
        let instance = Instance::new(vec![5, 4, 3, 3], 2).unwrap();
        let pinned = instance.with_pinned(vec![3], vec![1]).unwrap();
        let run = |instance: &Instance, options: &Options| {
            solve(&context(1), instance, options, &SolveOptions::default())
        };
        let ptas = Options { method: Method::Ptas, ..Options::default() };
        let refused = run(&pinned, &ptas).unwrap_err();
        assert!(matches!(*refused, Error::Unsupported(_)), "{refused}");
        let start = Some(Schedule::new(vec![0, 1, 1, 0]));
        let refused = run(&pinned, &Options { start, ..Options::default() }).unwrap_err();
        assert_eq!(refused.to_string(), "start[3]: is machine 0, but the job is pinned to 1");
        // LPT ends at 6 units, the bound is 5. So there are blocks of 6 units or more for the 16
        // machines, and 2^63 is 128 units.
        let unit = 1u64 << 56;
        let mut times = vec![4 * unit; 14];
        times.extend([3, 3, 2, 2, 2].map(|time| time * unit));
        let jobs: Vec<u32> = (0..14).collect();
        let long = Instance::new(times, 16).unwrap().with_pinned(jobs.clone(), jobs).unwrap();
        let refused = run(&long, &Options::default()).unwrap_err();
        assert!(matches!(*refused, Error::Overflow { .. }), "{refused}");
        let lpt = Options { method: Method::Lpt, ..Options::default() };
        assert_eq!(run(&long, &lpt).unwrap().objective, Some(6 << 56));
    }

    #[test]
    fn batches_know_pins() {
        let plain = Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3).unwrap();
        let pinned = plain.clone().with_pinned(vec![0, 1], vec![2, 2]).unwrap();
        let all = [&plain, &pinned, &plain];
        let outcomes =
            solve_batch(&context(2), &all, &Options::default(), &SolveOptions::default()).unwrap();
        let makespans: Vec<_> = outcomes.iter().map(|outcome| outcome.objective).collect();
        assert_eq!(makespans, [Some(9), Some(10), Some(9)]);
        check(&outcomes[1], value(&pinned), 10, true);
    }
}

mod stock {
    use makespan::cutting_stock::{
        Cut, Instance, Method, Options, Packing, Pattern, solve, solve_batch,
    };

    use super::*;

    fn value(instance: &Instance) -> impl Fn(&Packing) -> i64 + Send + Sync + use<> {
        let instance = instance.clone();
        move |packing| packing.stock_pieces(&instance).unwrap() as i64
    }

    /// The fewest pieces for these items, beside those with `left` length left.
    fn exhaustive(items: &[u64], left: &mut Vec<u64>, stock_length: u64, best: usize) -> usize {
        let Some((&item, rest)) = items.split_first() else { return best.min(left.len()) };
        if left.len() >= best {
            return best;
        }
        let mut best = best;
        for piece in 0..left.len() {
            if left[piece] >= item {
                left[piece] -= item;
                best = exhaustive(rest, left, stock_length, best);
                left[piece] += item;
            }
        }
        left.push(stock_length - item);
        best = exhaustive(rest, left, stock_length, best);
        left.pop();
        best
    }

    fn optimum(instance: &Instance) -> i64 {
        let mut demands = instance.demands().to_vec();
        let mut left = Vec::new();
        for pattern in instance.pinned() {
            let mut room = instance.stock_length();
            for cut in &pattern.cuts {
                room -= instance.lengths()[cut.item as usize] * u64::from(cut.count);
                demands[cut.item as usize] -= cut.count * pattern.pieces;
            }
            left.extend(vec![room; pattern.pieces as usize]);
        }
        let types = instance.lengths().iter().zip(&demands);
        let items: Vec<u64> =
            types.flat_map(|(&length, &demand)| vec![length; demand as usize]).collect();
        let most = left.len() + items.len() + 1;
        exhaustive(&items, &mut left, instance.stock_length(), most) as i64
    }

    /// Up to nine items, some of them on pieces in use.
    fn instances() -> impl Strategy<Value = Instance> {
        let length = prop_oneof![1u64..=30, 8u64..=16];
        let types = prop::collection::vec((length, 0u32..4), 1..6);
        let open = prop::collection::vec((1u32..3, any::<u32>(), any::<u32>()), 0..4);
        (types, 30u64..40, open)
            .prop_filter("few items", |(types, ..)| {
                types.iter().map(|item| item.1).sum::<u32>() <= 9
            })
            .prop_map(|(types, stock_length, open)| {
                let (lengths, demands): (Vec<u64>, Vec<u32>) = types.into_iter().unzip();
                let (mut left, mut pinned) = (demands.clone(), Vec::new());
                for (pieces, first, second) in open {
                    let mut room = stock_length;
                    let mut cuts = Vec::new();
                    for item in [first, second].map(|item| item % lengths.len() as u32) {
                        let at = item as usize;
                        if left[at] >= pieces && lengths[at] <= room {
                            left[at] -= pieces;
                            room -= lengths[at];
                            cuts.push(Cut { item, count: 1 });
                        }
                    }
                    pinned.push(Pattern { pieces, cuts });
                }
                let instance = Instance::new(lengths, demands, stock_length).unwrap();
                instance.with_pinned(pinned).unwrap()
            })
    }

    /// A packing with a piece for each free item.
    fn alone(instance: &Instance) -> Packing {
        let mut left = instance.demands().to_vec();
        let mut patterns = instance.pinned().to_vec();
        for pattern in instance.pinned() {
            pattern
                .cuts
                .iter()
                .for_each(|cut| left[cut.item as usize] -= cut.count * pattern.pieces);
        }
        let each = (0..).zip(left).filter(|(_, count)| *count > 0);
        let cuts = |item| vec![Cut { item, count: 1 }];
        patterns.extend(each.map(|(item, pieces)| Pattern { pieces, cuts: cuts(item) }));
        Packing::new(patterns)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn optimum_and_bounds(instance in instances()) {
            let context = context(1);
            let optimum = optimum(&instance);
            for method in Method::ALL {
                let outcome = follow(value(&instance), Limits::default(), |solve_options| {
                    solve(&context, &instance, &method.into(), solve_options).unwrap()
                });
                check(&outcome, value(&instance), optimum, true);
                prop_assert!(method == Method::Ffd || outcome.status == Status::Optimal, "{method:?}");
                for limits in short() {
                    let outcome = solve(&context, &instance, &method.into(), &limits).unwrap();
                    check(&outcome, value(&instance), optimum, true);
                }
            }
        }

        #[test]
        fn a_start_is_never_lost(instance in instances()) {
            let start = alone(&instance);
            let most = value(&instance)(&start);
            let best = solve(&context(1), &instance, &Options::default(), &SolveOptions::default());
            for start in [start, best.unwrap().solution.unwrap()] {
                let most = most.min(value(&instance)(&start));
                for method in Method::ALL {
                    let own = Options { start: Some(start.clone()), ..method.into() };
                    for limits in short() {
                        let found = solve(&context(1), &instance, &own, &limits).unwrap();
                        prop_assert!(found.objective <= Some(most));
                        // Without time, first-fit decreasing may be cut short.
                        if limits.limits.time.is_none() {
                            let free = method.into();
                            let other = solve(&context(1), &instance, &free, &limits).unwrap();
                            prop_assert!(found.objective <= other.objective);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn larger_instances_are_solved_with_any_number_of_threads() {
        let lengths: Vec<u64> = (0..60).map(|item| 150 + item * 7919 % 350).collect();
        let instance = Instance::new(lengths, vec![3; 60], 1000).unwrap();
        let open = |item: u32| Pattern { pieces: 1, cuts: vec![Cut { item, count: 1 + item % 2 }] };
        let instance = instance.with_pinned((0..25).map(open).collect()).unwrap();
        let run = |threads| {
            follow(value(&instance), Limits::default(), |solve_options| {
                solve(&context(threads), &instance, &Options::default(), solve_options).unwrap()
            })
        };
        let (one, three) = (run(1), run(3));
        assert!(one.objective.unwrap() <= one.bound.unwrap() + 1);
        assert_eq!((one.solution, one.bound), (three.solution, three.bound));
    }

    #[test]
    fn millions_of_items_join_pieces_in_use() {
        let instance = Instance::new(vec![600, 400, 300], vec![1_000_000; 3], 1000).unwrap();
        let open = vec![
            Pattern { pieces: 300_000, cuts: vec![Cut { item: 0, count: 1 }] },
            Pattern { pieces: 10, cuts: vec![] },
            Pattern { pieces: 100_000, cuts: vec![Cut { item: 2, count: 3 }] },
        ];
        let instance = instance.with_pinned(open).unwrap();
        let outcome =
            solve(&context(2), &instance, &Options::default(), &SolveOptions::default()).unwrap();
        let pieces = value(&instance)(outcome.solution.as_ref().unwrap());
        assert_eq!(outcome.objective, Some(pieces));
        // 1,000,000 full pairs of 600 and 400, and the other 700,000 of 300 by three.
        assert_eq!((pieces, outcome.bound), (1_333_334, Some(1_333_334)));
    }

    #[test]
    fn what_is_pinned_is_the_beginning_of_every_packing() {
        let instance = Instance::new(vec![6, 4], vec![2, 2], 10).unwrap();
        let cuts = |cuts: &[(u32, u32)]| -> Vec<Cut> {
            cuts.iter().map(|&(item, count)| Cut { item, count }).collect()
        };
        let open =
            vec![Pattern { pieces: 1, cuts: cuts(&[(1, 2)]) }, Pattern { pieces: 1, cuts: vec![] }];
        let instance = instance.with_pinned(open).unwrap();
        let found =
            solve(&context(1), &instance, &Options::default(), &SolveOptions::default()).unwrap();
        let six = |pieces| Pattern { pieces, cuts: cuts(&[(0, 1)]) };
        let first = Pattern { pieces: 1, cuts: cuts(&[(1, 2)]) };
        assert_eq!(found.solution.unwrap().patterns(), [first, six(1), six(1)]);
        assert_eq!((found.objective, found.bound), (Some(3), Some(3)));
        let swapped = Packing::new(vec![six(2), Pattern { pieces: 1, cuts: cuts(&[(1, 2)]) }]);
        let own = Options { start: Some(swapped), ..Options::default() };
        let refused = solve(&context(1), &instance, &own, &SolveOptions::default()).unwrap_err();
        assert_eq!(refused.to_string(), "start[0]: has 0 items of type 1, 2 are pinned");
    }

    #[test]
    fn batches_know_pieces_in_use() {
        let plain = Instance::new(vec![6, 4], vec![2, 2], 10).unwrap();
        let open = Pattern { pieces: 1, cuts: vec![Cut { item: 1, count: 2 }] };
        let pinned = plain.clone().with_pinned(vec![open]).unwrap();
        let all = [&plain, &pinned];
        let outcomes =
            solve_batch(&context(2), &all, &Options::default(), &SolveOptions::default()).unwrap();
        assert_eq!((outcomes[0].objective, outcomes[1].objective), (Some(2), Some(3)));
    }
}

mod sack {
    use makespan::knapsack::{
        Instance, Method, Options, Solution, profile, solve, solve_batch, solve_profits,
    };

    use super::*;

    fn value(instance: &Instance) -> impl Fn(&Solution) -> i64 + Send + Sync + use<> {
        let instance = instance.clone();
        move |solution| instance.profit_of(&solution.counts).unwrap() as i64
    }

    /// The largest profit of items from `item` on.
    fn exhaustive(instance: &Instance, item: usize, room: u64) -> Option<u64> {
        if item == instance.items() {
            return Some(0);
        }
        let (weight, profit) = (instance.weights()[item], instance.profits()[item]);
        let least = instance.pinned().get(item).copied().unwrap_or(0);
        let most = room
            .checked_div(weight)
            .map_or(instance.copies()[item], |fitting| fitting.min(instance.copies()[item]));
        // Of an item without weight and profit any number is as good as the least.
        let most = if weight == 0 && profit == 0 { least } else { most };
        let with = |count: u64| {
            Some(exhaustive(instance, item + 1, room - count * weight)? + count * profit)
        };
        (least..=most).filter_map(with).max()
    }

    fn instances() -> impl Strategy<Value = Instance> {
        let copies = prop_oneof![4 => 0u64..4, 1 => Just(Instance::UNBOUNDED)];
        let item = (0u64..20, 0u64..12, copies, 0u64..4);
        (prop::collection::vec(item, 0..6), 0u64..40).prop_map(|(items, capacity)| {
            let (mut left, mut pinned) = (capacity, Vec::new());
            let endless = |item: &(u64, u64, u64, u64)| item.1 == 0 && item.2 > 9;
            for item in &items {
                let fitting = left.checked_div(item.1).unwrap_or(u64::MAX);
                let count = item.3.min(item.2).min(fitting);
                left -= count * item.1;
                pinned.push(count);
            }
            let profits = items.iter().map(|item| if endless(item) { 0 } else { item.0 }).collect();
            let (weights, copies) = items.iter().map(|item| (item.1, item.2)).unzip();
            let instance = Instance::bounded(profits, weights, copies, capacity).unwrap();
            instance.with_pinned(pinned).unwrap()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn optimum_and_bounds(instance in instances()) {
            let context = context(1);
            let optimum = exhaustive(&instance, 0, instance.capacity()).unwrap() as i64;
            for method in Method::ALL {
                let outcome = follow(value(&instance), Limits::default(), |solve_options| {
                    solve(&context, &instance, &method.into(), solve_options).unwrap()
                });
                check(&outcome, value(&instance), optimum, false);
                prop_assert!(method == Method::Greedy || outcome.status == Status::Optimal);
                let start = Some(Solution { counts: instance.pinned().to_vec() });
                let best = outcome.solution;
                for (start, least) in [(start, i64::MIN), (best, outcome.objective.unwrap())] {
                    let own = Options { start, ..method.into() };
                    for limits in short() {
                        let outcome = solve(&context, &instance, &own, &limits).unwrap();
                        check(&outcome, value(&instance), optimum, false);
                        prop_assert!(outcome.objective >= Some(least));
                    }
                }
            }
        }
    }

    #[test]
    fn many_items_without_time_keep_their_pins() {
        let weights: Vec<u64> = (1..100_000).collect();
        let mut pinned = vec![0; weights.len()];
        pinned[99_997] = 1;
        let instance = Instance::subset_sum(weights, 1_000_000).unwrap();
        let instance = instance.with_pinned(pinned).unwrap();
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let own = Options::default();
        let outcome = solve(&context(1), &instance, &own, &limited(limits)).unwrap();
        assert_eq!(outcome.objective, Some(value(&instance)(outcome.solution.as_ref().unwrap())));
        assert!(outcome.objective > Some(99_998));
    }

    #[test]
    fn what_pins_do_not_allow_is_refused() {
        let (context, options) = (context(1), SolveOptions::default());
        let instance = Instance::new(vec![5, 4], vec![3, 2], 5).unwrap();
        let pinned = instance.with_pinned(vec![0, 1]).unwrap();
        for refused in [
            profile(&context, &pinned, &options).map(drop).unwrap_err(),
            solve_profits(&context, &pinned, &[1, 2], &options).map(drop).unwrap_err(),
        ] {
            assert!(matches!(*refused, Error::Unsupported(_)), "{refused}");
            assert!(refused.to_string().contains("with pinned copies"), "{refused}");
        }
        let start = Some(Solution { counts: vec![1, 0] });
        let own = Options { start, ..Options::default() };
        let refused = solve(&context, &pinned, &own, &options).unwrap_err();
        assert_eq!(refused.to_string(), "start[1]: is 0, 1 copies are pinned");
    }

    #[test]
    fn batches_know_pins() {
        let plain = Instance::new(vec![10, 7, 4], vec![4, 6, 5], 10).unwrap();
        let pinned = plain.clone().with_pinned(vec![0, 0, 1]).unwrap();
        let all = [&plain, &pinned];
        let outcomes =
            solve_batch(&context(2), &all, &Options::default(), &SolveOptions::default()).unwrap();
        assert_eq!((outcomes[0].objective, outcomes[1].objective), (Some(17), Some(14)));
    }
}
