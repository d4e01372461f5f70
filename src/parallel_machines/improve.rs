//! Improvement by subset sums: redistributes the jobs of two machines so that the longer load
//! shrinks, like the multi-subset-sum improvement (Dell'Amico, Iori, Martello, Monaci 2008) and
//! load redistribution in bin packing (Alvim, Ribeiro, Glover, Aloise 2004).

use super::Instance;
use super::schedule::Assignment;
use super::split::{MAX_FREE, Splitter};
use crate::random::Random;
use crate::solve::{Monitor, unless_stopped};
use crate::{Result, memory};

/// Machines with their jobs, which are to be improved.
struct Machines<'a> {
    instance: &'a Instance,
    jobs: Vec<Vec<u32>>,
    loads: Vec<u64>,
    splitter: Splitter,
    random: Random,
    /// Number of subsets looked at.
    work: u64,
}

/// The aim of redistributing two machines' jobs.
enum Aim {
    /// As evenly as possible.
    Even,
    /// One machine as full as possible up to this load.
    Fill(u64),
}

/// Partners tried for the longest machine before shaking.
const PARTNERS: usize = 64;

/// Random redistributions if no partner helps.
const SHAKES: usize = 6;

/// Shortens the schedule, down to `bound` at best, and returns the shortest one found; ends after
/// about `work` subsets.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped) if a stop comes before the first redistribution.
pub(super) fn improve(
    instance: &Instance,
    assignment: &[u32],
    bound: u64,
    work: u64,
    seed: u64,
    monitor: &Monitor,
) -> Result<Assignment> {
    let mut machines = Machines::new(instance, assignment, seed, monitor)?;
    let mut best = (machines.longest().1, memory::copied(assignment)?);
    if machines.loads.len() < 2 {
        return Ok(best);
    }
    while best.0 > bound && machines.work < work && !monitor.should_stop() {
        if machines.shorten_longest() {
            let makespan = machines.longest().1;
            if makespan < best.0 {
                let Some(assignment) = unless_stopped(machines.assignment(monitor))? else { break };
                best = (makespan, assignment);
                machines.work += best.1.len() as u64;
            }
        } else {
            machines.shake(best.0);
        }
    }
    Ok(best)
}

impl<'a> Machines<'a> {
    fn new(
        instance: &'a Instance,
        assignment: &[u32],
        seed: u64,
        monitor: &Monitor,
    ) -> Result<Self> {
        let count = instance.useful_machines();
        let mut jobs = vec![Vec::new(); count];
        let mut loads = vec![0; count];
        for (job, &machine) in assignment.iter().enumerate() {
            monitor.check_later_step(job)?;
            jobs[machine as usize].push(job as u32);
            loads[machine as usize] += instance.times()[job];
        }
        let splitter = Splitter::default();
        Ok(Machines { instance, jobs, loads, splitter, random: Random::new(seed), work: 0 })
    }

    fn assignment(&self, monitor: &Monitor) -> Result<Vec<u32>> {
        let mut assignment = vec![0; self.instance.jobs()];
        let mut step = 0;
        for (machine, jobs) in (0..).zip(&self.jobs) {
            for &job in jobs {
                monitor.check_later_step(step)?;
                assignment[job as usize] = machine;
                step += 1;
            }
        }
        Ok(assignment)
    }

    #[inline]
    fn longest(&self) -> (usize, u64) {
        let longest =
            (0..self.loads.len()).max_by_key(|&machine| self.loads[machine]).expect("a machine");
        (longest, self.loads[longest])
    }

    /// Redistributes the longest machine with the first partner that makes both loads shorter.
    fn shorten_longest(&mut self) -> bool {
        let (longest, load) = self.longest();
        self.work += self.loads.len() as u64;
        let mut partners: Vec<usize> =
            (0..self.loads.len()).filter(|&other| other != longest).collect();
        self.random.choose(&mut partners, PARTNERS);
        partners.truncate(PARTNERS);
        partners.sort_by_cached_key(|&partner| self.loads[partner]);
        partners.into_iter().any(|partner| {
            // Looking at the pair counts as work too.
            self.work += 64;
            self.loads[partner] + 1 < load && self.deal(longest, partner, load - 1, &Aim::Even)
        })
    }

    /// Redistributes random pairs without exceeding `limit`, first a pair with the longest machine.
    fn shake(&mut self, limit: u64) {
        for shake in 0..SHAKES {
            let count = self.loads.len() as u64;
            let first =
                if shake == 0 { self.longest().0 } else { self.random.below(count) as usize };
            let second = (first + 1 + self.random.below(count - 1) as usize) % count as usize;
            let least = (self.loads[first] + self.loads[second]).saturating_sub(limit);
            let aim =
                Aim::Fill(least + self.random.below((limit - least.min(limit)).saturating_add(1)));
            self.deal(first, second, limit, &aim);
        }
    }

    /// Redistributes the jobs of two machines, unless a load would exceed `limit`.
    fn deal(&mut self, first: usize, second: usize, limit: u64, aim: &Aim) -> bool {
        let times = self.instance.times();
        // The jobs with their machines.
        let of = |machine: usize| self.jobs[machine].iter().map(move |&job| (job, machine));
        let mut jobs: Vec<(u32, usize)> = of(first).chain(of(second)).collect();
        self.random.choose(&mut jobs, MAX_FREE);
        let (free, fixed) = jobs.split_at(jobs.len().min(MAX_FREE));
        // Fixed jobs stay on their machines.
        let staying = |machine| fixed.iter().filter(move |job| job.1 == machine).map(|job| job.0);
        let base: u64 = staying(first).map(|job| times[job as usize]).sum();
        let total = self.loads[first] + self.loads[second];
        let wanted = match aim {
            Aim::Even => total / 2,
            Aim::Fill(wanted) => *wanted,
        };
        if base > wanted {
            return false;
        }
        let free_times: Vec<u64> = free.iter().map(|&(job, _)| times[job as usize]).collect();
        let (sum, chosen) = self.splitter.fullest(&free_times, wanted - base);
        self.work += 64 + (2 << free.len().div_ceil(2));
        let filled = base + sum;
        if filled.max(total - filled) > limit {
            return false;
        }
        let (mut ours, mut theirs): (Vec<u32>, Vec<u32>) =
            (staying(first).collect(), staying(second).collect());
        for (position, &(job, _)) in free.iter().enumerate() {
            if chosen >> position & 1 == 1 { ours.push(job) } else { theirs.push(job) }
        }
        (self.jobs[first], self.jobs[second]) = (ours, theirs);
        (self.loads[first], self.loads[second]) = (filled, total - filled);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel_machines::{Schedule, lpt};
    use crate::solve::SolveOptions;
    use crate::testing::monitor;
    use proptest::prelude::*;

    fn lpt(instance: &Instance) -> Assignment {
        let longest_first = instance.longest_first(&monitor()).unwrap();
        lpt::lpt(instance, &longest_first, &monitor()).unwrap()
    }

    fn improved(instance: &Instance, seed: u64) -> u64 {
        let monitor = Monitor::new(&SolveOptions::default());
        let (_, start) = lpt(instance);
        let (makespan, better) = improve(instance, &start, 0, 1 << 16, seed, &monitor).unwrap();
        assert_eq!(Schedule::new(better).makespan(instance).unwrap(), makespan);
        makespan
    }

    #[test]
    fn two_machines_are_solved_exactly() {
        let instance = Instance::new(vec![9, 8, 7, 6, 5, 5], 2).unwrap();
        assert_eq!(improved(&instance, 0), 20);
    }

    #[test]
    fn grahams_worst_case_is_improved() {
        let instance = Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3).unwrap();
        assert_eq!(improved(&instance, 0), 9);
    }

    #[test]
    fn thousands_of_jobs_on_a_machine_take_no_time() {
        let instance =
            Instance::new((0..400_000).map(|job| 1 + job * 7919 % 1009).collect(), 10).unwrap();
        let (before, _) = lpt(&instance);
        assert!(improved(&instance, 0) <= before);
    }

    proptest! {
        #[test]
        fn never_worse(times in proptest::collection::vec(0u64..50, 0..40), machines in 1u32..9, seed: u64) {
            let instance = Instance::new(times, machines).unwrap();
            let (before, _) = lpt(&instance);
            prop_assert!(improved(&instance, seed) <= before);
        }
    }
}
