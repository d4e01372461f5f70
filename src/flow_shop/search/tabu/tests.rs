use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::SolveOptions;
use crate::flow_shop::search::Shop;
use crate::flow_shop::search::makespan::{CpuNeighbours, Evaluation, Scan};
use crate::flow_shop::search::moves::Move;
use crate::flow_shop::search::testing::FlowTime;
use crate::flow_shop::testing::instances;

/// All variants of the search.
fn settings(tenure: usize) -> impl Iterator<Item = Settings> {
    let neighbourhoods = [Neighbourhood::Swap, Neighbourhood::Insertion].into_iter();
    let lists = [TabuList::Sequences, TabuList::Attributes];
    neighbourhoods
        .flat_map(move |neighbourhood| lists.map(|list| Settings { neighbourhood, list, tenure }))
}

/// The result of a move.
struct Neighbour {
    number: usize,
    order: Vec<u32>,
    /// The moved jobs and their new positions.
    taken: Vec<(u32, usize)>,
}

fn neighbours(neighbourhood: Neighbourhood, order: &[u32]) -> Vec<Neighbour> {
    let jobs = order.len();
    let pairs = (0..jobs).flat_map(|a| (0..jobs).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let neighbour = |(a, b): (usize, usize)| {
        let both = vec![(order[a], b), (order[b], a)];
        let (mv, taken) = match neighbourhood {
            Neighbourhood::Swap if a < b => (Move::Swap(a, b), both),
            Neighbourhood::Swap => return None,
            Neighbourhood::Insertion if a.abs_diff(b) == 1 => (Move::Insertion(a, b), both),
            Neighbourhood::Insertion => (Move::Insertion(a, b), vec![(order[a], b)]),
        };
        let mut order = order.to_vec();
        mv.apply(&mut order);
        Some(Neighbour { number: mv.number(jobs), order, taken })
    };
    pairs.filter_map(neighbour).collect()
}

/// A literal implementation of the search without tables: the sequences of all generations.
fn told(
    value: impl Fn(&[u32]) -> u64,
    settings: &Settings,
    start: &[u32],
    generations: u64,
) -> Vec<Vec<u32>> {
    let mut visited = vec![start.to_vec()];
    let mut left: VecDeque<Vec<(u32, usize)>> = VecDeque::new();
    let mut best = value(start);
    for _ in 0..generations {
        let order = visited.last().unwrap().clone();
        let recent = &visited[visited.len().saturating_sub(settings.tenure)..];
        let allowed = |neighbour: &Neighbour| match settings.list {
            TabuList::Sequences => !recent.contains(&neighbour.order),
            TabuList::Attributes => {
                let forbidden = neighbour
                    .taken
                    .iter()
                    .any(|taken| left.iter().flatten().any(|left| left == taken));
                !forbidden || value(&neighbour.order) < best
            }
        };
        let allowed = neighbours(settings.neighbourhood, &order).into_iter().filter(allowed);
        let chosen = allowed.min_by_key(|neighbour| (value(&neighbour.order), neighbour.number));
        let moved = match chosen
            .as_ref()
            .map(|chosen| settings.neighbourhood.numbered(chosen.number, order.len()))
        {
            None => Vec::new(),
            Some(Move::Swap(a, b)) => vec![(order[a], a), (order[b], b)],
            Some(Move::Insertion(from, _)) => vec![(order[from], from)],
        };
        left.push_back(moved);
        if left.len() > settings.tenure {
            left.pop_front();
        }
        let next = chosen.map_or(order, |chosen| chosen.order);
        best = best.min(value(&next));
        visited.push(next);
    }
    visited
}

/// The search visits the same sequences as the literal implementation, for any objective.
fn check<E: NeighbourhoodEvaluator<Value = u64>>(
    jobs: usize,
    settings: Settings,
    evaluator: E,
    value: impl Fn(&[u32]) -> u64,
) -> Result<(), TestCaseError> {
    let order: Vec<u32> = (0..jobs as u32).collect();
    let told = told(&value, &settings, &order, 30);
    let start = ValuedSequence { value: value(&order), order };
    let state = State::at(&settings, &[start]).remove(0);
    let mut search = Tabu { neighbourhood: settings.neighbourhood, evaluator, state };
    for expected in &told[1..] {
        search.generation().unwrap();
        prop_assert_eq!(&search.state.present.order, expected, "{:?}", settings);
        prop_assert_eq!(search.state.present.value, value(expected));
    }
    let best = told.iter().map(|order| value(order)).min();
    prop_assert_eq!(Some(search.state.best.value), best);
    prop_assert_eq!(search.state.best.value, value(&search.state.best.order));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn generations_are_as_told(instance in instances(8, 3), tenure in 1usize..9) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        let monitor = Monitor::new(&SolveOptions::default());
        for settings in settings(tenure) {
            for evaluation in Evaluation::ALL {
                let scan = Scan { neighbourhood: settings.neighbourhood, evaluation, local_columns: false };
                let evaluator = CpuNeighbours::new(&shop, &monitor, scan);
                check(shop.jobs(), settings, evaluator, |order| shop.makespan(order).into())?;
            }
        }
    }

    #[test]
    fn another_objective_needs_another_evaluator_alone(instance in instances(6, 3), tenure in 1usize..9) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        for settings in settings(tenure) {
            let evaluator = FlowTime::new(&shop).among(settings.neighbourhood);
            check(shop.jobs(), settings, evaluator, |order| FlowTime::new(&shop).of(order))?;
        }
    }

    #[test]
    fn trajectories_of_another_objective_end_with_their_best(instance in instances(5, 3), seed: u64) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        let monitor = Monitor::new(&SolveOptions::default());
        let flow_time = FlowTime::new(&shop);
        let order: Vec<u32> = (0..shop.jobs() as u32).collect();
        let starts = starts(&order, 4, seed, &monitor, |order| flow_time.of(order)).unwrap();
        for settings in settings(5) {
            let evaluator = || flow_time.clone().among(settings.neighbourhood);
            let states = State::at(&settings, &starts);
            let searches = HostTabu::new(&settings, &states, &monitor, 0, evaluator).unwrap();
            let (found, generations) = run(searches, &monitor, 60).unwrap();
            let value = |order: &[u32]| flow_time.of(order);
            let told = starts.iter().flat_map(|start| told(value, &settings, &start.order, 60));
            prop_assert_eq!((Some(found.value), generations), (told.map(|order| value(&order)).min(), 60));
            prop_assert!(found.value >= flow_time.least());
            prop_assert_eq!(found.value, flow_time.of(&found.order));
        }
    }
}
