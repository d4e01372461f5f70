use super::*;
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::pool::{self, HostPool};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::testing::{NONE, problem, search, unlimited};
use crate::flow_shop::exact::turns::Turns;
use crate::flow_shop::exact::{Bound, Branching, Slice, cpu, tree_pool};
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::{Instance, taillard};
use crate::opencl::testing::test_devices;
use crate::testing::{assert_error, cpu_context, monitor};

/// ta014 below its optimum, 1377.
fn instance() -> Instance {
    taillard::find("ta014").unwrap().instance()
}

fn below_the_optimum(instance: &Instance) -> Problem<'_, Makespan<'_>> {
    problem(instance, Bound::OneMachine, Branching::MinBranch, 1377)
}

fn on_one_core(problem: &Problem<'_, Makespan<'_>>) -> (Counts, Best) {
    search(problem, |limit, open, slice| {
        cpu::advance(&cpu_context(1), problem, limit, open, slice).unwrap()
    })
}

/// Takes all nodes and fails.
struct Faulty(Option<Box<Error>>);

impl Worker for Faulty {
    fn select(&mut self, open: &mut Vec<Open>, most: usize, _: usize) -> Result<Vec<Open>> {
        Ok(open.split_off(open.len() - most))
    }

    fn branch(&mut self, _: &[Open], _: &Monitor) -> Result<(Vec<Open>, Counts)> {
        Err(self.0.take().unwrap())
    }
}

#[test]
fn engines_that_fail_or_stop_leave_their_nodes_to_the_others() {
    let instance = instance();
    let problem = below_the_optimum(&instance);
    let (context, options) = (cpu_context(2), HostPool::default());
    let team = Team::of(&context, &[]);
    let found = search(&problem, |limit, open, slice| {
        let host = Host { problem: &problem, options: &options };
        let search = Search { context: &context, host, limit, slice };
        let crew = Crew::new(&search, &team);
        crew.lock().open.append(open);
        let failed = Faulty(Some(Error::device_failed("in a test")));
        let worked = crew.work(&mut { failed }, Rank::Chosen, || panic!("it does no work"));
        assert_error!(worked, Error::DeviceFailed(_));
        let mut stopped = Faulty(Some(Error::Stopped.into()));
        crew.work(&mut stopped, Rank::Chosen, || panic!("it does no work")).unwrap();
        assert_eq!(crew.lock().open, [problem.root_node()]);
        assert!(!crew.lock().is_over);

        // Two engines at once, of which the first one has the root.
        thread::scope(|scope| {
            let work = |rank| crew.work(&mut Threads { search: &search }, rank, || {}).unwrap();
            scope.spawn(move || work(Rank::Further));
            work(Rank::Chosen);
        });
        let state = crew.lock();
        assert!(state.open.is_empty() && state.busy == 0 && state.present == 0);
        state.counts
    });
    assert_eq!(found, on_one_core(&problem));
}

/// Takes all nodes once, and keeps them until they are recalled.
struct Slow {
    has_taken: bool,
    recalled: usize,
}

impl Worker for Slow {
    fn select(&mut self, open: &mut Vec<Open>, _: usize, _: usize) -> Result<Vec<Open>> {
        let all = if self.has_taken { Vec::new() } else { std::mem::take(open) };
        self.has_taken |= !all.is_empty();
        Ok(all)
    }

    fn branch(&mut self, _: &[Open], monitor: &Monitor) -> Result<(Vec<Open>, Counts)> {
        while !monitor.should_stop() {
            thread::sleep(Duration::from_millis(1));
        }
        self.recalled += 1;
        Err(Error::stopped())
    }
}

#[test]
fn the_chosen_device_takes_the_nodes_of_a_slow_engine_back() {
    let instance = instance();
    let problem = below_the_optimum(&instance);
    let (context, options) = (cpu_context(2), HostPool::default());
    let team = Team::of(&context, &[]);
    let found = search(&problem, |limit, open, slice| {
        let host = Host { problem: &problem, options: &options };
        let search = Search { context: &context, host, limit, slice };
        let crew = Crew::new(&search, &team);
        crew.lock().open.append(open);
        let mut slow = Slow { has_taken: false, recalled: 0 };
        thread::scope(|scope| {
            scope.spawn(|| crew.work(&mut slow, Rank::Further, || {}).unwrap());
            while crew.lock().busy == 0 {
                thread::yield_now();
            }
            crew.work(&mut Threads { search: &search }, Rank::Chosen, || {}).unwrap();
        });
        assert_eq!(slow.recalled, 1);
        crew.lock().counts
    });
    assert_eq!(found, on_one_core(&problem));
}

#[test]
fn a_wrong_device_ends_the_work_of_all_engines() {
    let instance = instance();
    let problem = below_the_optimum(&instance);
    let (context, options, monitor) = (cpu_context(1), HostPool::default(), monitor());
    let (team, limit) = (Team::of(&context, &[]), Limit::new(NONE, 1377));
    let slice = unlimited(&monitor);
    let host = Host { problem: &problem, options: &options };
    let search = Search { context: &context, host, limit: &limit, slice: &slice };
    let crew = Crew::new(&search, &team);
    crew.lock().open.push(problem.root_node());
    let worked =
        crew.work(&mut Faulty(Some(Error::device_wrong("in a test"))), Rank::Further, || {});
    assert_error!(worked, Error::DeviceWrong(_));
    let mut threads = Threads { search: &search };
    crew.work(&mut threads, Rank::Chosen, || panic!("the search is over")).unwrap();
    assert_eq!(crew.lock().open, [problem.root_node()]);
}

#[test]
fn a_wrong_device_counts_more_than_other_failures() {
    let (failed, wrong) = (|| Error::device_failed("lost"), || Error::device_wrong("wrong"));
    assert!(first_failure(vec![Ok(()), Ok(())]).is_ok());
    assert_error!(first_failure(vec![Err(failed()), Ok(()), Err(wrong())]), Error::DeviceWrong(_));
    assert_error!(first_failure(vec![Ok(()), Err(failed())]), Error::DeviceFailed(_));
}

/// A search on devices by both explorations, with small pools.
fn on_devices(
    device: &Device,
    team: &Team<'_>,
    problem: &Problem<'_, Makespan<'_>>,
    turns: Option<&Turns>,
) -> [(Counts, Best); 2] {
    let options = HostPool { size: 300, budget: 20, ..HostPool::default() };
    let pools = search(problem, |limit, open, slice| {
        let slice = Slice { turns, ..unlimited(slice.monitor) };
        pool::advance(device, team, problem, &options, limit, open, &slice).unwrap()
    });
    let trees = search(problem, |limit, open, slice| {
        let slice = Slice { turns, ..unlimited(slice.monitor) };
        tree_pool::advance(device, team, problem, &options, limit, open, &slice).unwrap()
    });
    [pools, trees]
}

#[test]
fn the_threads_and_further_devices_search_the_tree_of_one_core() {
    for device in test_devices() {
        if device.quirks().simulator {
            continue;
        }
        let instance = instance();
        let problem = below_the_optimum(&instance);
        let expected = on_one_core(&problem);
        let context = cpu_context(2);
        let (alone, two) = (Team::of(&context, &[]), Team::of(&context, &[&device]));
        let turns = Turns::in_order(&[Crewing::Both]);
        for (team, turns) in [(&alone, Some(&turns)), (&two, None), (&two, Some(&turns))] {
            for found in on_devices(&device, team, &problem, turns) {
                assert_eq!(found, expected);
            }
        }
    }
}

#[test]
fn a_further_device_that_fails_loses_no_nodes() {
    let faulty_devices = test_devices();
    for (device, faulty) in test_devices().iter().zip(&faulty_devices) {
        if device.quirks().simulator {
            continue;
        }
        let instance = instance();
        let problem = below_the_optimum(&instance);
        let expected = on_one_core(&problem);
        for commands in [0, 30] {
            let context = cpu_context(1);
            // It may come too late to a search, so that it does not fail.
            let failed = (0..20).any(|_| {
                faulty.fail_after(commands);
                let team = Team::of(&context, &[faulty]);
                for found in on_devices(device, &team, &problem, None) {
                    assert_eq!(found, expected);
                }
                let warnings = team.into_record().1;
                warnings.iter().any(|warning| warning.contains("was left out"))
            });
            assert!(failed, "after {commands} commands");
        }
    }
}
