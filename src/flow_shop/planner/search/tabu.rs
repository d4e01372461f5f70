//! Tabu search for any objective. The neighbours of a sequence are those with a job at another
//! place, so that the evaluators of insertions serve here, too.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::device::DeviceNeighbours;
use super::evaluators::{Evaluators, is_two_sided};
use super::places::Sequence;
use super::portfolio::Portfolio;
use super::settings::Work;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::tabu::{
    Generations, HostTabu, Settings, State, Trajectories, advance, starts,
};
use crate::flow_shop::search::{
    DeviceTabu, Move, Neighbourhood, NeighbourhoodEvaluator, Scan, SearchOptions, Shop,
    ValuedSequence,
};
use crate::mutex::lock;
use crate::opencl::Device;
use crate::solve::{Monitor, unless_stopped};
use crate::{Dispatch, Error, Forecast, Result, parallel};

/// Time between two exchanges with the incumbent.
const SLICE: Duration = Duration::from_millis(50);
/// Jobs that a move takes elsewhere.
const MOVED: u32 = 2;

impl Portfolio<'_, '_> {
    /// Runs tabu search until a limit, or for a fixed number of generations. An iteration is a
    /// generation of each trajectory.
    pub(in crate::flow_shop::planner) fn tabu(
        &mut self,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        check_options(self.options)?;
        let monitor = self.incumbent.monitor;
        if self.problem.free_jobs.len() < 2 || self.incumbent.is_optimal() {
            return Ok(());
        }
        monitor.enter("tabu")?;
        if dispatch.wants_device() {
            let forecast = Forecast::device_only("tabu search");
            let no_cpu = |_: &Monitor| Err(Error::internal("a device was asked for"));
            let run = dispatch.run(monitor, &forecast, |device| self.tabu_on(device), no_cpu);
            return unless_stopped(run).map(|_| ());
        }
        let settings = Settings::new(self.options);
        self.evaluators.check_memory(
            self.problem.instance.horizon(),
            MOVED,
            self.trajectories() * self.context.threads(),
            monitor,
        )?;
        let (evaluators, context) = (self.evaluators, self.context);
        let neighbours = || Neighbours::new(evaluators, monitor, settings.neighbourhood);
        self.tabu_with(&settings, neighbours, |work| {
            context.install_reporting(monitor, "tabu", || None, work)?
        })
    }

    /// Searches on a device, if whole generations have kernels. Else it evaluates the neighbours, and
    /// the host chooses among the best ones of all jobs.
    fn tabu_on(&mut self, device: &Device) -> Result<()> {
        let (settings, queue) = (Settings::new(self.options), device.queue());
        if is_decided_by_setups(self.problem) {
            let instance = self.problem.instance;
            let bytes = DeviceTabu::setup_bytes(instance);
            self.incumbent.monitor.check_memory(bytes, || "set-ups for a device".into())?;
            let shop = Shop::of(instance);
            if DeviceTabu::has_kernels(device, &shop, settings.neighbourhood) {
                return self.generations_on(device, &shop, &settings);
            }
        }
        let (monitor, start) = (self.incumbent.monitor, self.incumbent.free_order().to_vec());
        let neighbourhood = settings.neighbourhood;
        let neighbours =
            DeviceNeighbours::new(device, &queue, monitor, self.evaluators, &start, neighbourhood)?;
        let neighbours = Mutex::new(neighbours);
        self.tabu_with(&settings, || &neighbours, |work| work())
    }

    /// Searches on the host with such evaluators.
    fn tabu_with<E: NeighbourhoodEvaluator<Value = Cost> + Send>(
        &mut self,
        settings: &Settings,
        evaluator: impl Fn() -> E,
        run: impl Fn(&mut (dyn FnMut() -> Result<()> + Send)) -> Result<()>,
    ) -> Result<()> {
        let (problem, monitor) = (self.problem, self.incumbent.monitor);
        let whole = |order: &[u32]| [problem.pinned(), order].concat();
        let value = |order: &[u32]| problem.cost(&whole(order));
        let states = self.states(settings, self.incumbent.free_order(), value)?;
        let search = HostTabu::new(settings, &states, monitor, 0, evaluator)?;
        self.make_generations(settings, search, whole, run)
    }

    /// Makes whole generations on a device, which knows the makespan alone.
    fn generations_on(&mut self, device: &Device, shop: &Shop, settings: &Settings) -> Result<()> {
        let queue = device.queue();
        let start = shop.order(self.incumbent.free_order());
        let states = self.states(settings, &start, |order| shop.makespan(order).into())?;
        let (monitor, scan) = (self.incumbent.monitor, Scan::new(self.options));
        let search = DeviceTabu::new(device, &queue, shop, monitor, (*settings, scan), &states)?;
        self.make_generations(settings, search, |order| shop.sequence(order), |work| work())
    }

    /// The trajectories at their starts, with values by `value`.
    fn states<V: Clone>(
        &self,
        settings: &Settings,
        start: &[u32],
        value: impl Fn(&[u32]) -> V,
    ) -> Result<Vec<State<V>>> {
        let (monitor, seed) = (self.incumbent.monitor, self.solve_options.seed);
        Ok(State::at(settings, &starts(start, self.trajectories(), seed, monitor, value)?))
    }

    fn trajectories(&self) -> usize {
        self.options.trajectories.unwrap_or(1)
    }

    /// Advances trajectories whose orders are those of `sequence`; `run` runs a slice of work.
    fn make_generations<T: Trajectories + Send>(
        &mut self,
        settings: &Settings,
        mut search: T,
        sequence: impl Fn(&[u32]) -> Vec<u32>,
        run: impl Fn(&mut (dyn FnMut() -> Result<()> + Send)) -> Result<()>,
    ) -> Result<()> {
        let (problem, monitor) = (self.problem, self.incumbent.monitor);
        let (jobs, trajectories) = (problem.free_jobs.len(), self.trajectories());
        let moves = settings.neighbourhood.moves(jobs);
        // Each exchange of two jobs takes another scan.
        let scans = match settings.neighbourhood {
            Neighbourhood::Insertion => jobs as u64,
            Neighbourhood::Swap => moves,
        };
        let limits = &self.solve_options.limits;
        let most = match limits.time.is_some() || limits.iterations.is_some() {
            true => u64::MAX,
            false => Work::of(problem).usual_generations(scans * trajectories as u64),
        };
        let mut generations = Generations::new(monitor, most);
        loop {
            let begun = Instant::now();
            let goes_on = || begun.elapsed() < SLICE;
            let mut work = || advance(&mut search, &mut generations, &goes_on, &|_| ());
            let advanced = run(&mut work);
            self.incumbent.offer(&sequence(&search.best()?.order));
            match advanced {
                Err(error) if matches!(*error, Error::Stopped) => break,
                advanced => advanced?,
            }
            // A slice whose threads begin late may have made none.
            if self.incumbent.is_optimal() || !generations.begin() {
                break;
            }
        }
        let evaluations = generations.made().saturating_mul(moves * trajectories as u64);
        self.statistics.add("evaluations", evaluations);
        self.statistics.add("iterations", generations.made());
        Ok(())
    }
}

/// Whether the makespan with set-ups decides, without release times, blocking and a running plan.
fn is_decided_by_setups(problem: &Problem<'_>) -> bool {
    let instance = problem.instance;
    instance.setups().is_some()
        && instance.release_times().is_empty()
        && !problem.has_blocking
        && is_two_sided(problem)
        && !problem.scoring.has_plan()
}

/// Refuses options of tabu search for the makespan alone.
fn check_options(options: &SearchOptions) -> Result<()> {
    if options.evaluation.is_some() {
        let reason = "applies only to the makespan without set-ups, release times and blocking";
        return Err(Error::argument("evaluation", reason));
    }
    Ok(())
}

/// Evaluates neighbourhoods, each job on one thread.
pub(super) struct Neighbours<'a, 'e> {
    evaluators: &'e Evaluators<'a>,
    monitor: &'e Monitor,
    neighbourhood: Neighbourhood,
    /// Sequences that threads lend each other.
    idle: Mutex<Vec<Sequence<'a>>>,
}

impl<'a, 'e> Neighbours<'a, 'e> {
    pub(super) fn new(
        evaluators: &'e Evaluators<'a>,
        monitor: &'e Monitor,
        neighbourhood: Neighbourhood,
    ) -> Self {
        Neighbours { evaluators, monitor, neighbourhood, idle: Mutex::new(Vec::new()) }
    }

    /// A sequence in this order that reaches all its neighbours.
    fn lent(&self, from: &ValuedSequence<Cost>) -> Result<Lent<'a, '_>> {
        let idle = lock(&self.idle).pop();
        let fitting = idle.map(|mut sequence| {
            sequence.set(&from.order);
            sequence
        });
        let sequence = match fitting.filter(|sequence| sequence.reaches(from.value, MOVED)) {
            Some(sequence) => sequence,
            None => {
                let latest = self.evaluators.problem().latest(&from.order);
                let mut sequence = self.evaluators.sequence(latest, MOVED)?;
                sequence.set(&from.order);
                sequence
            }
        };
        Ok(Lent { sequence: Some(sequence), idle: &self.idle, costs: Vec::new() })
    }

    /// The best allowed move of the job at a position.
    fn best_of(
        &self,
        lent: &mut Lent<'a, '_>,
        from: &ValuedSequence<Cost>,
        position: usize,
        is_allowed: &(dyn Fn(usize, Cost) -> bool + Sync),
    ) -> Option<(Cost, usize)> {
        let Lent { sequence: Some(sequence), costs, .. } = lent else { return None };
        let jobs = from.order.len();
        let mut best = None;
        let mut consider = |number: usize, cost: Cost| {
            if is_allowed(number, cost) && best.is_none_or(|best| (cost, number) < best) {
                best = Some((cost, number));
            }
        };
        match self.neighbourhood {
            Neighbourhood::Insertion => {
                let job = sequence.remove(position);
                sequence.costs(job, costs);
                sequence.insert(position, job);
                for (to, &cost) in costs.iter().enumerate().filter(|&(to, _)| to != position) {
                    consider(Move::Insertion(position, to).number(jobs), cost);
                }
            }
            Neighbourhood::Swap => {
                let job = sequence.remove(position);
                for second in position + 1..jobs {
                    let other = sequence.remove(second - 1);
                    sequence.insert(position, other);
                    sequence.costs(job, costs);
                    consider(Move::Swap(position, second).number(jobs), costs[second]);
                    sequence.remove(position);
                    sequence.insert(second - 1, other);
                }
                sequence.insert(position, job);
            }
        }
        best
    }
}

impl NeighbourhoodEvaluator for Neighbours<'_, '_> {
    type Value = Cost;

    fn best(
        &mut self,
        from: &ValuedSequence<Cost>,
        forbidden: &[usize],
        cutoff: Cost,
    ) -> Result<Option<(usize, Cost)>> {
        let is_allowed = |number: usize, cost: Cost| cost < cutoff || !forbidden.contains(&number);
        let best: Mutex<Option<(Cost, usize)>> = Mutex::new(None);
        let positions = 0..from.order.len();
        parallel::try_for_each_with(
            positions,
            || self.lent(from),
            |lent, position| {
                if self.monitor.should_stop() {
                    return Err(Error::stopped());
                }
                if let Some(own) = self.best_of(lent, from, position, &is_allowed) {
                    let mut best = lock(&best);
                    *best = Some(best.map_or(own, |known| known.min(own)));
                }
                Ok(())
            },
        )?;
        let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(best.map(|(cost, number)| (number, cost)))
    }
}

/// A sequence that is returned at the end.
struct Lent<'a, 'e> {
    sequence: Option<Sequence<'a>>,
    idle: &'e Mutex<Vec<Sequence<'a>>>,
    costs: Vec<Cost>,
}

impl Drop for Lent<'_, '_> {
    fn drop(&mut self) {
        let mut idle = lock(self.idle);
        idle.extend(self.sequence.take());
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::planner::incumbent::Incumbent;
    use crate::flow_shop::planner::testing::{least_cost, planned};
    use crate::flow_shop::{Evaluation, Instance, Method, Objective, Options, Setups, solve};
    use crate::solve::{SolveOptions, Statistics};
    use crate::testing::{cpu_context, limited};
    use crate::{Limits, Status};

    /// All moves of a sequence with their costs, each computed from scratch.
    fn enumerated(
        problem: &Problem<'_>,
        neighbourhood: Neighbourhood,
        order: &[u32],
    ) -> Vec<(Cost, usize)> {
        let jobs = order.len();
        let pairs = (0..jobs).flat_map(|a| (0..jobs).map(move |b| (a, b)));
        let moves = pairs.filter_map(|(a, b)| match neighbourhood {
            Neighbourhood::Insertion if a != b => Some(Move::Insertion(a, b)),
            Neighbourhood::Swap if a < b => Some(Move::Swap(a, b)),
            _ => None,
        });
        let cost = |mv: Move| {
            let mut moved = order.to_vec();
            mv.apply(&mut moved);
            (problem.cost(&[problem.pinned(), &moved].concat()), mv.number(jobs))
        };
        moves.map(cost).collect()
    }

    proptest! {
        #[test]
        fn the_best_neighbour_is_the_best_of_all(
            instance in planned(9, 4), forbidden in prop::collection::vec(0..300usize, 0..40),
        ) {
            let problem = Problem::new(&instance);
            let order = problem.free_jobs.clone();
            prop_assume!(order.len() > 1);
            let (evaluators, monitor) =
                (Evaluators::new(&problem), Monitor::new(&SolveOptions::default()));
            let value = problem.cost(&[problem.pinned(), &order].concat());
            let from = ValuedSequence { order, value };
            for neighbourhood in Neighbourhood::ALL {
                let mut neighbours = Neighbours::new(&evaluators, &monitor, neighbourhood);
                let all = enumerated(&problem, neighbourhood, &from.order);
                let mut costs: Vec<Cost> = all.iter().map(|(cost, _)| *cost).collect();
                costs.sort_unstable();
                for cutoff in [costs[0], costs[costs.len() / 2]] {
                    let allowed = all
                        .iter()
                        .filter(|(cost, number)| *cost < cutoff || !forbidden.contains(number));
                    let expected = allowed.min().map(|&(cost, number)| (number, cost));
                    prop_assert_eq!(neighbours.best(&from, &forbidden, cutoff).unwrap(), expected);
                }
            }
        }
    }

    /// The makespans grow, so that evaluators of 16 bits give way to wider ones.
    #[test]
    fn sequences_that_need_wider_numbers_get_them() {
        let times = |job: u32| [9_000 + job, 100 * job, 8_500];
        let instance = Instance::new(8, 3, (0..8).flat_map(times).collect()).unwrap();
        let setups = (0..64).map(|pair| (pair * 37) % 2_000).collect();
        let instance = instance.with_setups(Setups::between_jobs(8, setups).unwrap()).unwrap();
        let problem = Problem::new(&instance);
        let (evaluators, monitor) =
            (Evaluators::new(&problem), Monitor::new(&SolveOptions::default()));
        let mut neighbours = Neighbours::new(&evaluators, &monitor, Neighbourhood::Insertion);
        let mut order = problem.free_jobs.clone();
        for _ in 0..20 {
            let from = ValuedSequence { value: problem.cost(&order), order: order.clone() };
            let expected =
                enumerated(&problem, Neighbourhood::Insertion, &order).into_iter().min().unwrap();
            let found = neighbours.best(&from, &[], Cost::WORST).unwrap().unwrap();
            assert_eq!(found, (expected.1, expected.0));
            order.rotate_left(3);
            order.swap(0, 1);
        }
    }

    #[test]
    fn small_instances_are_solved_on_any_number_of_threads() {
        let times = [5, 9, 4, 7, 2, 8, 6, 3, 9, 1, 7, 5, 8, 4, 6, 2, 3, 9];
        let instance = Instance::new(6, 3, times.to_vec()).unwrap().with_blocking().unwrap();
        for objective in ["makespan", "total-flow-time", "makespan,total-flow-time"] {
            let instance =
                instance.clone().with_objective(Objective::parse(objective).unwrap()).unwrap();
            let least = least_cost(&instance);
            for threads in [1, 3] {
                let options = Options { method: Method::Tabu, ..Options::default() };
                let limits = limited(Limits { iterations: Some(60), ..Limits::default() });
                let outcome = solve(&cpu_context(threads), &instance, &options, &limits).unwrap();
                assert_eq!(outcome.objective, Some(least.first()), "{objective}");
                // A proved sequence is not searched on.
                let evaluations = outcome.report.statistics.get("evaluations");
                assert!(outcome.status == Status::Optimal || evaluations > Some(0));
            }
        }
    }

    #[test]
    fn a_slice_whose_threads_begin_late_does_not_end_the_search() {
        let times = (0..24).map(|i| 1 + i * 7 % 11).collect();
        let instance = Instance::new(8, 3, times).unwrap().with_blocking().unwrap();
        let problem = Problem::new(&instance);
        let solve_options = limited(Limits { iterations: Some(5), ..Limits::default() });
        let (evaluators, monitor) = (Evaluators::new(&problem), Monitor::new(&solve_options));
        let order = problem.free_jobs.clone();
        let mut incumbent = Incumbent::start(&problem, &monitor, (problem.cost(&order), order));
        let (options, mut statistics) = (SearchOptions::default(), Statistics::default());
        let mut search = Portfolio {
            context: &cpu_context(1),
            problem: &problem,
            evaluators: &evaluators,
            incumbent: &mut incumbent,
            options: &options,
            solve_options: &solve_options,
            statistics: &mut statistics,
        };
        let slices = Cell::new(0);
        let neighbours = || Neighbours::new(&evaluators, &monitor, Neighbourhood::Insertion);
        let late = |work: &mut (dyn FnMut() -> Result<()> + Send)| {
            if slices.replace(slices.get() + 1) == 0 {
                thread::sleep(SLICE);
            }
            work()
        };
        search.tabu_with(&Settings::new(&options), neighbours, late).unwrap();
        assert!(slices.get() > 1);
        assert_eq!(statistics.get("iterations"), Some(5));
    }

    #[test]
    fn the_evaluation_of_swaps_is_for_the_makespan_alone() {
        let instance = Instance::new(3, 2, vec![1; 6]).unwrap().with_blocking().unwrap();
        let mut options = Options { method: Method::Tabu, ..Options::default() };
        options.search.neighbourhood = Neighbourhood::Swap;
        options.search.evaluation = Some(Evaluation::Prefix);
        let refused =
            solve(&cpu_context(1), &instance, &options, &SolveOptions::default()).unwrap_err();
        assert!(refused.to_string().starts_with("evaluation: applies only to"), "{refused}");
    }
}
