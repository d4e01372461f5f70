//! The bound of a beginning; docs/src/mathematics.md has the proofs. `bound_of` in
//! cl/flow_shop_forward_bounds.cl computes the same numbers.

use crate::flow_shop::planner::{JobTerms, Numbers};

/// The beginning of a sequence.
#[derive(Debug, Clone)]
pub(in crate::flow_shop::exact) struct State {
    /// From when on each machine can be set up for the next job.
    pub(super) free: Vec<i32>,
    /// What its jobs add to the objective.
    pub(super) sum: i32,
    /// The largest end, and the largest sum of an end and a delivery.
    pub(super) latest: i32,
    pub(super) lateness: i32,
    /// The last job, or the number of jobs if all are pinned.
    pub(super) last: u32,
    /// One bit for each job behind it.
    pub(super) open: u64,
}

/// Rows of scratch: for each machine the least start of a line and the least tail, for each
/// position the least end.
#[derive(Default)]
pub(super) struct Room {
    opening: Vec<i32>,
    tails: Vec<i32>,
    ends: Vec<i32>,
}

impl State {
    pub(super) fn root(numbers: &Numbers) -> Self {
        let (root, jobs) = (&numbers.root, numbers.jobs.len());
        State {
            free: root.free.clone(),
            sum: root.sum,
            latest: root.latest,
            lateness: root.lateness,
            last: jobs as u32,
            open: (0..jobs).fold(0, |open, job| open | 1 << job),
        }
    }

    fn has(&self, job: usize) -> bool {
        self.open >> job & 1 == 1
    }
}

/// The set bits.
fn bits(set: u64) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let bit = rest.trailing_zeros() as usize;
        let found = rest != 0;
        rest &= rest.wrapping_sub(1);
        found.then_some(bit)
    })
}

impl Numbers {
    /// Fixes the next job.
    pub(super) fn append(&self, state: &mut State, job: usize) {
        let terms = self.terms[job];
        let last = self.machines - 1;
        let mut end = terms.release;
        for machine in 0..=last {
            let start = end.max(state.free[machine] + self.setup(state, job, machine));
            if self.has_blocking && machine > 0 {
                state.free[machine - 1] = start;
            }
            end = start + self.times[job * self.machines + machine];
            if !self.has_blocking || machine == last {
                state.free[machine] = end;
            }
        }
        state.open &= !(1 << job);
        if let Some(plan) = &self.plan {
            let jobs = self.jobs.len();
            state.sum += plan.follows[state.last as usize * jobs + job];
            state.sum += bits(state.open).map(|later| plan.pairs[job * jobs + later]).sum::<i32>();
        }
        state.sum += self.added(terms, end);
        state.latest = state.latest.max(end);
        state.lateness = state.lateness.max(end + terms.delivery);
        state.last = job as u32;
    }

    #[inline]
    fn setup(&self, state: &State, job: usize, machine: usize) -> i32 {
        let row = state.last as usize * self.jobs.len() + job;
        self.setups.as_ref().map_or(0, |setups| setups[row * self.machines + machine])
    }

    /// What a job adds with this end.
    #[inline]
    fn added(&self, terms: JobTerms, end: i32) -> i32 {
        let lateness = end - terms.due;
        let late = if lateness > 0 { self.late } else { 0 };
        terms.flow * (end - terms.release) + terms.tardy * lateness.max(0) + late
    }

    /// No sequence with this beginning has a lower value. Without open jobs it is the value.
    pub(super) fn bound(&self, state: &State, room: &mut Room) -> i32 {
        let (mut latest, mut lateness, mut sum) = (state.latest, state.lateness, 0);
        if state.open != 0 {
            room.reset(self.machines, state.open.count_ones() as usize);
            for job in bits(state.open) {
                let (terms, end) = (self.terms[job], self.starts(state, job, room));
                latest = latest.max(end);
                lateness = lateness.max(end + terms.delivery);
                sum += self.added(terms, end);
            }
            self.fill_ends(state, room);
            latest = latest.max(room.ends[room.ends.len() - 1]);
            lateness = lateness.max(self.largest_lateness(state, &room.ends));
            sum = sum.max(self.matched(state, &room.ends));
        }
        state.sum + sum + self.makespan * latest + self.lateness * lateness
    }

    /// Notes where the lines begin if the job is next, and its tails. Returns when it ends at
    /// least, whichever job is next.
    fn starts(&self, state: &State, job: usize, room: &mut Room) -> i32 {
        let mut next = self.terms[job].release;
        let mut alone = next;
        for machine in 0..self.machines {
            let (cell, free) = (job * self.machines + machine, state.free[machine]);
            next = next.max(free + self.setup(state, job, machine)) + self.times[cell];
            alone = alone.max(free) + self.times[cell];
            room.opening[machine] = room.opening[machine].min(next - self.loads[cell]);
            room.tails[machine] = room.tails[machine].min(self.tails[cell]);
        }
        alone
    }

    /// Computes when 1, 2, ... open jobs have ended at least.
    fn fill_ends(&self, state: &State, room: &mut Room) {
        let (jobs, Room { opening, tails, ends }) = (self.jobs.len(), room);
        for machine in 0..self.machines {
            let mut now = opening[machine] + tails[machine];
            let row = &self.by_load[machine * jobs..][..jobs];
            let open = row.iter().filter(|&&[job, _]| state.has(job as usize));
            for (end, &[_, load]) in ends.iter_mut().zip(open) {
                now += load;
                *end = now.max(*end);
            }
        }
        let Some(releases) = &self.releases else { return };
        let open = releases.by_end.iter().filter(|&&[job, _]| state.has(job as usize));
        ends.iter_mut().zip(open).for_each(|(end, &[_, alone])| *end = alone.max(*end));
        let last = ends.len() - 1;
        for machine in 0..self.machines {
            let mut now = opening[machine];
            let row = &releases.by_head[machine * jobs..][..jobs];
            for &[job, head] in row.iter().filter(|&&[job, _]| state.has(job as usize)) {
                now = now.max(head) + self.loads[job as usize * self.machines + machine];
            }
            ends[last] = ends[last].max(now + tails[machine]);
        }
    }

    /// The terms of the open jobs in the order of a list.
    fn open<'a>(
        &'a self,
        state: &'a State,
        order: &'a [i32],
    ) -> impl Iterator<Item = JobTerms> + 'a {
        let open = order.iter().map(|&job| job as usize).filter(|&job| state.has(job));
        open.map(|job| self.terms[job])
    }

    /// The least largest lateness: the first end is that of the job due first.
    fn largest_lateness(&self, state: &State, ends: &[i32]) -> i32 {
        let by_due = ends.iter().zip(self.open(state, &self.by_due));
        by_due.map(|(end, terms)| end + terms.delivery).max().unwrap_or(0)
    }

    /// The least flow times, tardiness and late jobs of jobs with these ends, in any order.
    fn matched(&self, state: &State, ends: &[i32]) -> i32 {
        let flows = ends.iter().zip(self.open(state, &self.by_flow));
        let mut sum: i32 = flows.map(|(end, terms)| terms.flow * (end - terms.release)).sum();
        for &[level, step] in &self.levels {
            let jobs = self.open(state, &self.by_due).filter(|terms| terms.tardy >= level);
            let late = ends.iter().zip(jobs).map(|(end, terms)| (end - terms.due).max(0));
            sum += step * late.sum::<i32>();
        }
        if self.late > 0 {
            let in_time =
                |count: usize, terms: JobTerms| count + usize::from(ends[count] <= terms.due);
            let in_time = self.open(state, &self.by_due).fold(0, in_time);
            sum += self.late * (ends.len() - in_time) as i32;
        }
        sum
    }
}

impl Room {
    fn reset(&mut self, machines: usize, jobs: usize) {
        for (list, count, value) in [
            (&mut self.opening, machines, i32::MAX),
            (&mut self.tails, machines, i32::MAX),
            (&mut self.ends, jobs, 0),
        ] {
            list.clear();
            list.resize(count, value);
        }
    }
}
