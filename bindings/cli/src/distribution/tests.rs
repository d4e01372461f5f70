use std::sync::Arc;
use std::thread;

use makespan::flow_shop::units::{Tree, Unit, UpperBound};
use makespan::flow_shop::{ExactOptions, Instance, Method, Options};
use makespan::{Context, ContextOptions, Engine, Limits, Result, SolveOptions, Status};

use super::coordinator::Settings;
use super::proof::{Coordination, Event, Office, Threads, coordinate, outcome, serve};
use super::simulation::{Machine, Simulated, simulate};
use super::{Coordinator, Order, Report, Work};

fn context() -> Arc<Context> {
    let (engine, threads) = (Engine::Cpu, Some(1));
    Arc::new(Context::new(ContextOptions { engine, threads, ..ContextOptions::default() }).unwrap())
}

/// The proof that no schedule of the instance is shorter than `upper_bound`.
fn tree(name: &str, upper_bound: u64) -> Tree {
    let exact = ExactOptions { upper_bound: Some(upper_bound), ..ExactOptions::default() };
    let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
    Tree::new(Instance::named(name).unwrap(), &options).unwrap()
}

/// A unit that a simulated worker really works on.
#[derive(Clone)]
struct Real(Unit, Arc<Context>);

impl Work for Real {
    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn open_nodes(&self) -> usize {
        self.0.open_nodes()
    }

    fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    fn limit(&self) -> u64 {
        self.0.limit()
    }

    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn with_epoch(self, epoch: u64) -> Self {
        Real(self.0.with_epoch(epoch), self.1)
    }

    fn ledger(&self) -> Self {
        Real(self.0.without_nodes(), Arc::clone(&self.1))
    }

    fn without_work(self) -> Self {
        Real(self.0.without_work(), self.1)
    }

    fn split(self, parts: usize) -> Result<Vec<Self>> {
        let of = |unit| Real(unit, Arc::clone(&self.1));
        Ok(self.0.split(parts)?.into_iter().map(of).collect())
    }

    fn merge(self, other: Self) -> Result<Self> {
        Ok(Real(self.0.merge(other.0)?, self.1))
    }

    fn intersect(&mut self, remainder: &Self) -> Result<()> {
        self.0.intersect(&remainder.0)
    }
}

impl Simulated for Real {
    fn advance(&mut self, nodes: u64) -> Result<u64> {
        let mut done = 0;
        loop {
            // Complete sequences are iterations, too.
            let iterations = Some(nodes.saturating_sub(done).max(1));
            let limits = Limits { iterations, ..Limits::default() };
            let options = SolveOptions { limits, ..SolveOptions::default() };
            let report = self.0.run(&self.1, &options, &UpperBound::new())?;
            done += report.statistics.get("nodes").unwrap();
            if done >= nodes || self.0.is_done() {
                return Ok(done);
            }
        }
    }
}

fn machine(rates: Vec<f64>) -> Machine {
    Machine {
        rates,
        latency: 1e-3,
        message: 1e-4,
        message_node: 1e-6,
        turn: 1e-3,
        losses: Vec::new(),
        settings: Settings::default(),
    }
}

fn whole(tree: &Tree) -> Real {
    Real(tree.whole().unwrap(), context())
}

#[test]
fn any_workers_have_the_nodes_of_the_tree() {
    let tree = tree("ta014", 1377);
    for rates in [vec![2000.0], vec![900.0; 3], vec![100.0, 300.0, 5000.0], vec![50.0; 40]] {
        let (found, left) = simulate(whole(&tree), &machine(rates.clone())).unwrap();
        assert!(left.is_done() && left.limit() == 1377, "{rates:?}");
        assert_eq!((found.nodes, left.nodes()), (19_285, 19_285), "{rates:?}");
    }
}

#[test]
fn lost_workers_cost_work_that_was_not_reported() {
    let tree = tree("ta014", 1377);
    for seed in 0..10u32 {
        let at = |k: u32| f64::from((seed * 7 + k * 13) % 29) / 4.0;
        let losses = (0..6).map(|k| (at(k), (k + seed) as usize % 4, k > 2)).collect();
        let machine = Machine { losses, ..machine(vec![700.0; 4]) };
        let (found, left) = simulate(whole(&tree), &machine).unwrap();
        assert!(left.is_done(), "{seed}");
        assert_eq!(found.nodes, 19_285, "{seed}");
        // Nodes that the coordinator decomposes to split are not among those of the workers.
        assert!(found.decomposed > 18_000, "{seed}: {}", found.decomposed);
        // Slices of a second, and one report of a slice that may be under way.
        let most = 19_285 + 6 * 2 * 750;
        assert!(found.decomposed < most, "{seed}: {}", found.decomposed);
    }
}

#[test]
fn the_remainder_of_a_lost_worker_is_given_out_again() {
    let tree = tree("ta014", 1377);
    let settings = Settings { units_per_worker: 1, ..Settings::default() };
    let mut coordinator = Coordinator::new(whole(&tree), 3, settings).unwrap();
    let first = |worker, coordinator: &mut Coordinator<Real>| {
        coordinator.report(worker, Report { remainder: None, seconds: 0.0 }, 0.0).unwrap();
        match coordinator.orders().remove(0) {
            (to, Order::Work(unit)) if to == worker => unit,
            (to, order) => panic!("{to}: {}", matches!(order, Order::End)),
        }
    };
    let (mut done, mut lost) = (first(0, &mut coordinator), first(1, &mut coordinator));
    // The third worker is lost before its first report.
    coordinator.lost(2, 0.5).unwrap();
    lost.advance(100).unwrap();
    coordinator.report(1, Report { remainder: Some(lost.clone()), seconds: 1.0 }, 1.0).unwrap();
    assert!(matches!(coordinator.orders()[..], [(1, Order::Continue)]));
    let reported = coordinator.ledger().nodes();
    coordinator.lost(1, 2.0).unwrap();
    assert!(coordinator.orders().is_empty() && coordinator.busy() == 1);
    // The first worker gets what is left, one after the other: the pool's last unit is the lost one.
    done.advance(u64::MAX).unwrap();
    let own = done.nodes();
    coordinator.report(0, Report { remainder: Some(done), seconds: 1.0 }, 3.0).unwrap();
    assert_eq!(coordinator.ledger().nodes(), reported + own);
    match &coordinator.orders()[..] {
        [(0, Order::Work(again))] => {
            assert_eq!(again.open_nodes(), lost.open_nodes());
            assert_ne!(again.epoch(), lost.epoch());
        }
        orders => panic!("{} orders", orders.len()),
    }
    // A loss while the work is stopped keeps the unit for the checkpoint.
    coordinator.stop();
    coordinator.lost(0, 4.0).unwrap();
    assert!(coordinator.has_ended() && !coordinator.is_done());
    let mut rest = coordinator.whole().unwrap();
    rest.advance(u64::MAX).unwrap();
    assert_eq!(rest.nodes(), 19_285);
}

/// A transport that loses a worker and the first unit for it.
struct Lossy {
    threads: Threads,
    victim: usize,
    has_unit: bool,
    is_lost: bool,
}

impl Office for Lossy {
    fn workers(&self) -> usize {
        self.threads.workers()
    }

    fn send(&mut self, worker: usize, order: Order<Unit>) -> Result<()> {
        if worker != self.victim {
            return self.threads.send(worker, order);
        }
        assert!(!self.is_lost, "an order for a lost worker");
        self.has_unit |= matches!(order, Order::Work(_));
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<Event>> {
        if self.has_unit && !self.is_lost {
            self.is_lost = true;
            return Ok(Some(Event::Lost(self.victim)));
        }
        self.threads.receive()
    }
}

#[test]
fn the_others_complete_a_proof_without_a_lost_worker() {
    let tree = tree("ta014", 1377);
    let context = context();
    for victim in 0..3 {
        let (threads, desks) = Threads::new(3);
        let mut office = Lossy { threads, victim, has_unit: false, is_lost: false };
        let left = thread::scope(|scope| {
            for (worker, mut desk) in desks.into_iter().enumerate() {
                let (context, options) = (&context, SolveOptions::default());
                scope.spawn(move || {
                    let served = serve(context, &options, &mut desk);
                    assert_eq!(served.is_err(), worker == victim, "{worker}");
                });
            }
            let (coordination, options) = (Coordination::default(), SolveOptions::default());
            let whole = tree.whole().unwrap();
            let left = coordinate(whole, &mut office, &coordination, &options, |_, _| {}).unwrap();
            assert!(office.is_lost);
            drop(office);
            left
        });
        assert!(left.is_done() && left.limit() == 1377, "{victim}");
        assert_eq!(left.nodes(), 19_285, "{victim}");
    }
}

#[test]
fn parts_are_taken_from_workers_that_do_not_answer() {
    let tree = tree("ta014", 1377);
    let settings = Settings { patience: 1.0, ..Settings::default() };
    let mut coordinator = Coordinator::new(whole(&tree), 2, settings).unwrap();
    let nothing = || Report { remainder: None, seconds: 0.0 };
    coordinator.report(0, nothing(), 0.0).unwrap();
    let mut first = match coordinator.orders().remove(0) {
        (0, Order::Work(unit)) => unit,
        (worker, order) => panic!("{worker}: {}", matches!(order, Order::End)),
    };
    // The second one does all of the rest.
    let mut now = 0.0;
    coordinator.report(1, nothing(), now).unwrap();
    let mut has_stolen = false;
    for _ in 0..1000 {
        for (worker, order) in coordinator.orders() {
            // The first worker gets no message.
            if let (1, Order::Work(mut unit)) = (worker, order) {
                has_stolen |= now > 1.0;
                unit.advance(u64::MAX).unwrap();
                let report = Report { remainder: Some(unit), seconds: 0.1 };
                now += 0.1;
                coordinator.report(1, report, now).unwrap();
            }
        }
        if now > 60.0 {
            break;
        }
        now += 0.1;
        coordinator.tick(now).unwrap();
    }
    assert!(has_stolen);
    // At last it reports. What others did is not open in its answer.
    first.advance(10).unwrap();
    let report = Report { remainder: Some(first), seconds: 1.0 };
    coordinator.report(0, report, now).unwrap();
    for _ in 0..1000 {
        for (worker, order) in coordinator.orders() {
            if let Order::Work(mut unit) = order {
                unit.advance(u64::MAX).unwrap();
                let report = Report { remainder: Some(unit), seconds: 0.1 };
                coordinator.report(worker, report, now).unwrap();
            }
        }
        now += 1.0;
        coordinator.tick(now).unwrap();
    }
    assert!(coordinator.is_done());
    let whole = coordinator.whole().unwrap();
    assert!(whole.is_done() && whole.limit() == 1377 && whole.nodes() >= 19_285);
}

#[test]
fn threads_prove_an_optimum_and_a_checkpoint_continues_with_another_number() {
    let (tree, context) = (tree("ta020", 1591), context());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ta020.checkpoint");
    let coordination = Coordination { checkpoint: Some(path.clone()), ..Coordination::default() };
    let run = |whole: Unit, workers: usize, limits: Limits| {
        let options = SolveOptions { limits, ..SolveOptions::default() };
        let (mut office, desks) = Threads::new(workers);
        thread::scope(|scope| {
            for mut desk in desks {
                let (context, options) = (&context, SolveOptions::default());
                scope.spawn(move || serve(context, &options, &mut desk).unwrap());
            }
            coordinate(whole, &mut office, &coordination, &options, |_, _| {}).unwrap()
        })
    };
    let at_once = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let left = run(tree.whole().unwrap(), 2, at_once);
    assert!(!left.is_done());
    let unit = tree.continued(&path).unwrap();
    let left = run(unit, 3, Limits::default());
    assert!(left.is_done());
    assert_eq!(left.nodes(), 268_813);
    let outcome = outcome(&left, &context, &SolveOptions::default(), path, 1.5).unwrap();
    assert_eq!((outcome.status, outcome.bound), (Status::Infeasible, Some(1591)));
    assert_eq!(outcome.report.statistics.get("nodes"), Some(268_813));
    assert!(!outcome.report.interrupted);
}
