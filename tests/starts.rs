//! Warm starts: a solve returns nothing worse than its start, and begins with it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use makespan::cutting_stock::{Cut, Packing, Pattern};
use makespan::parallel_machines::Schedule;
use makespan::{
    Context, ContextOptions, Control, Engine, Limits, Progress, ProgressCallback, SolveOptions,
    Value, cutting_stock, knapsack, parallel_machines,
};
use proptest::prelude::*;

fn context() -> Context {
    let engine = Engine::Cpu;
    Context::new(ContextOptions { engine, threads: Some(1), ..ContextOptions::default() }).unwrap()
}

fn without_time() -> SolveOptions {
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    SolveOptions { limits, ..SolveOptions::default() }
}

/// The limits of the solves that must not be worse than their starts.
fn limits() -> [SolveOptions; 2] {
    [without_time(), SolveOptions::default()]
}

/// Options that keep the objective of each report in the phase "start".
fn listening() -> (SolveOptions, Arc<Mutex<Vec<Option<Value>>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    let progress: ProgressCallback = Arc::new(move |progress: &Progress<'_>| {
        if progress.phase == "start" {
            kept.lock().unwrap().push(progress.objective);
        }
        Control::Continue
    });
    (SolveOptions { progress: Some(progress), ..without_time() }, heard)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_schedule_is_never_longer_than_its_start(
        times in prop::collection::vec(1u64..60, 1..9),
        machines in 1u32..12,
        places in prop::collection::vec(any::<u32>(), 9),
    ) {
        use parallel_machines::{Instance, Method, Options, solve};
        let instance = Instance::new(times.clone(), machines).unwrap();
        let start = Schedule::new(times.iter().zip(&places).map(|(_, at)| at % machines).collect());
        let most = start.makespan(&instance).unwrap() as i64;
        for method in Method::ALL {
            let free = Options { method, ..Options::default() };
            let own = Options { start: Some(start.clone()), ..free.clone() };
            for options in limits() {
                let found = solve(&context(), &instance, &own, &options).unwrap();
                let other = solve(&context(), &instance, &free, &options).unwrap();
                prop_assert!(found.objective <= Some(most).min(other.objective), "{:?}", method);
                prop_assert!(found.bound <= found.objective);
            }
        }
    }

    #[test]
    fn a_packing_never_takes_more_pieces_than_its_start(
        lengths in prop::collection::vec(1u64..20, 1..7),
        demands in prop::collection::vec(0u32..4, 7),
    ) {
        use cutting_stock::{Instance, Method, Options, solve};
        let types = lengths.len();
        let instance = Instance::new(lengths, demands[..types].to_vec(), 24).unwrap();
        // An item for each piece, except that a type's first two may share one.
        let mut patterns = Vec::new();
        for item in 0..types as u32 {
            let (length, demand) = (instance.lengths()[item as usize], demands[item as usize]);
            let pair = u32::from(demand >= 2 && 2 * length <= 24);
            patterns.push(Pattern { pieces: pair, cuts: vec![Cut { item, count: 2 }] });
            patterns.push(Pattern { pieces: demand - 2 * pair, cuts: vec![Cut { item, count: 1 }] });
        }
        patterns.retain(|pattern| pattern.pieces > 0);
        let start = Packing::new(patterns);
        let most = start.stock_pieces(&instance).unwrap() as i64;
        for method in Method::ALL {
            let own = Options { start: Some(start.clone()), ..method.into() };
            for options in limits() {
                let found = solve(&context(), &instance, &own, &options).unwrap();
                let other = solve(&context(), &instance, &method.into(), &options).unwrap();
                prop_assert!(found.objective <= Some(most).min(other.objective), "{:?}", method);
                prop_assert!(found.bound <= found.objective);
            }
        }
    }

    #[test]
    fn a_selection_is_never_worth_less_than_its_start(
        items in prop::collection::vec((0u64..30, 0u64..30, 0u64..4), 1..8),
        capacity in 0u64..80,
        wishes in prop::collection::vec(0u64..4, 8),
    ) {
        use knapsack::{Instance, Method, Options, Solution, solve};
        let (profits, (weights, copies)) =
            items.iter().map(|&(profit, weight, copies)| (profit, (weight, copies))).unzip();
        let instance = Instance::bounded(profits, weights, copies, capacity).unwrap();
        let mut left = capacity;
        let take = |(&(_, weight, copies), &wish): (&(u64, u64, u64), &u64)| {
            let count = wish.min(copies).min(left.checked_div(weight).unwrap_or(u64::MAX));
            left -= count * weight;
            count
        };
        let counts: Vec<u64> = items.iter().zip(&wishes).map(take).collect();
        let least = instance.profit_of(&counts).unwrap() as i64;
        let start = Solution { counts };
        for method in Method::ALL {
            let own = Options { start: Some(start.clone()), ..method.into() };
            for options in limits() {
                let found = solve(&context(), &instance, &own, &options).unwrap();
                let other = solve(&context(), &instance, &method.into(), &options).unwrap();
                prop_assert!(found.objective >= Some(least).max(other.objective), "{:?}", method);
                prop_assert!(found.bound >= found.objective);
            }
        }
    }
}

#[test]
fn a_better_schedule_than_that_of_lpt_is_where_the_search_begins() {
    use parallel_machines::{Instance, Options, solve};
    let instance = Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3).unwrap();
    let options = |machines| Options { start: Some(Schedule::new(machines)), ..Options::default() };
    let (listen, heard) = listening();
    let found = solve(&context(), &instance, &options(vec![0, 1, 0, 1, 2, 2, 2]), &listen).unwrap();
    assert_eq!(found.objective, Some(9), "LPT plans 11");
    assert_eq!(*heard.lock().unwrap(), [Some(Value::Whole(9))]);
    let refused = |machines| solve(&context(), &instance, &options(machines), &listen).unwrap_err();
    assert_eq!(refused(vec![0]).to_string(), "start: 1 machines for 7 jobs");
    let text = refused(vec![0, 1, 3, 0, 0, 0, 0]).to_string();
    assert_eq!(text, "start[2]: there is no machine 3, only 3");
}

#[test]
fn an_optimal_start_leaves_the_scheme_nothing_to_do() {
    use parallel_machines::{Instance, Method, Options, solve};
    let instance = Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3).unwrap();
    let start = Some(Schedule::new(vec![0, 1, 0, 1, 2, 2, 2]));
    let own = Options { method: Method::Ptas, start, ..Options::default() };
    let found = solve(&context(), &instance, &own, &SolveOptions::default()).unwrap();
    assert_eq!(found.report.statistics.get("targets"), Some(0));
}

#[test]
fn a_better_packing_than_first_fit_is_where_the_search_begins() {
    use cutting_stock::{Instance, Options, solve};
    // First-fit decreasing puts the two 4 together.
    let instance = Instance::new(vec![4, 3], vec![2, 4], 10).unwrap();
    let pattern = |cuts: &[(u32, u32)]| {
        let cuts = cuts.iter().map(|&(item, count)| Cut { item, count }).collect();
        Pattern { pieces: 1, cuts }
    };
    let options = |patterns| Options { start: Some(Packing::new(patterns)), ..Options::default() };
    let halves = vec![pattern(&[(0, 1), (1, 2)]); 2];
    let (listen, heard) = listening();
    let found = solve(&context(), &instance, &options(halves), &listen).unwrap();
    assert_eq!(found.objective, Some(2));
    assert_eq!(*heard.lock().unwrap(), [Some(Value::Whole(2))]);
    let refused = |cuts: &[(u32, u32)]| {
        solve(&context(), &instance, &options(vec![pattern(cuts)]), &listen)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(refused(&[(0, 3)]), "start[0]: is 12 long, a stock piece only 10");
    assert_eq!(refused(&[(0, 2)]), "start: 0 items of type 1 are cut, the demand is 4");
}

#[test]
fn a_better_selection_than_the_greedy_one_is_where_the_search_begins() {
    use knapsack::{Instance, Method, Options, Solution, solve};
    // Greedy takes the first item, which leaves no room for the two others.
    let instance = Instance::new(vec![8, 10, 10], vec![4, 6, 6], 12).unwrap();
    let options = |counts: &[u64]| Options {
        start: Some(Solution { counts: counts.to_vec() }),
        ..Method::Greedy.into()
    };
    let (listen, heard) = listening();
    let found = solve(&context(), &instance, &options(&[0, 1, 1]), &listen).unwrap();
    assert_eq!(found.objective, Some(20));
    assert_eq!(*heard.lock().unwrap(), [Some(Value::Whole(20))]);
    let refused = |counts: &[u64]| {
        solve(&context(), &instance, &options(counts), &listen).unwrap_err().to_string()
    };
    assert_eq!(refused(&[1, 1]), "start: 2 counts for 3 items");
    assert!(refused(&[1, 1, 1]).starts_with("start: weigh 16"));
    assert!(refused(&[0, 2, 0]).starts_with("start[1]: is 2"));

    // Too many items to sort them without time.
    let weights: Vec<u64> = (1..100_000).collect();
    let many = Instance::subset_sum(weights, 99_999).unwrap();
    let mut counts = vec![0; 99_999];
    counts[99_998] = 1;
    let found = solve(&context(), &many, &options(&counts), &without_time()).unwrap();
    assert_eq!(found.objective, Some(99_999));
}
