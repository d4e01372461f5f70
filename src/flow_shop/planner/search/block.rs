//! Insertions of a block of consecutive jobs where the makespan decides. The block is scheduled
//! behind the heads of each position; the tails of the jobs behind it complete the longest paths.

use super::heads::{LANES, lanes, longer, plus};
use super::spread::Lane;
use super::tables::{MARGIN, Tables};
use crate::simd::HotLoop;

/// Computes the makespans with a block at each position of a sequence, without the paths that begin
/// at later release times.
pub(super) struct BlockPlaces<'p, 'a, T> {
    pub(super) tables: &'p Tables<'a, T>,
    pub(super) block: &'p [u32],
    /// Rows by machine at distance `stride`, from the first position on.
    pub(super) heads: &'p [T],
    pub(super) tails: &'p [T],
    /// The set-ups before the first job of the block, and those behind its last job.
    pub(super) around: Option<(&'p [T], &'p [T])>,
    pub(super) stride: usize,
    /// Scratch: when each machine is free.
    pub(super) front: &'p mut [[T; LANES]],
    pub(super) makespans: &'p mut [T],
}

impl<T: Lane> HotLoop for BlockPlaces<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (vector, makespans) in self.makespans.chunks_exact_mut(LANES).enumerate() {
            // Lanes after the last position read data after the row; their results are not used.
            let row = |machine: usize| machine * self.stride + vector * LANES;
            for (machine, free) in self.front.iter_mut().enumerate() {
                *free = *lanes(self.heads, row(machine));
                if let Some((entering, _)) = self.around {
                    plus(free, lanes(entering, row(machine)));
                }
            }
            let mut before = None;
            for &job in self.block {
                append(self.tables, self.front, before, job);
                before = Some(job);
            }
            let mut longest = [T::default(); LANES];
            for (machine, free) in self.front.iter().enumerate() {
                let mut tails = *lanes(self.tails, row(machine));
                if let Some((_, leaving)) = self.around {
                    plus(&mut tails, lanes(leaving, row(machine)));
                }
                longer(&mut longest, free, &tails);
            }
            makespans.copy_from_slice(&longest);
        }
    }
}

/// Schedules a job of the block behind the one before it.
#[inline(always)]
fn append<T: Lane>(
    tables: &Tables<'_, T>,
    front: &mut [[T; LANES]],
    before: Option<u32>,
    job: u32,
) {
    match (tables.setups.is_some(), tables.problem.has_blocking) {
        (false, false) => append_as::<T, false, false>(tables, front, before, job),
        (false, true) => append_as::<T, false, true>(tables, front, before, job),
        (true, false) => append_as::<T, true, false>(tables, front, before, job),
        (true, true) => append_as::<T, true, true>(tables, front, before, job),
    }
}

#[inline(always)]
fn append_as<T: Lane, const SETUPS: bool, const BLOCKING: bool>(
    tables: &Tables<'_, T>,
    front: &mut [[T; LANES]],
    before: Option<u32>,
    job: u32,
) {
    let times = &tables.times(Some(job))[MARGIN..];
    let setups = match (&tables.setups, before) {
        (Some(setups), Some(_)) if SETUPS => Some(setups.into(before, job)),
        _ => None,
    };
    let mut end = [tables.release(Some(job)); LANES];
    for machine in 0..front.len() {
        let mut start = front[machine];
        if let Some(setups) = setups {
            plus(&mut start, &[setups[machine]; LANES]);
        }
        for lane in 0..LANES {
            start[lane] = start[lane].max(end[lane]);
            end[lane] = start[lane].plus(times[machine]);
        }
        if !BLOCKING {
            front[machine] = end;
        } else if machine > 0 {
            // The machine before is free once this one has the job.
            front[machine - 1] = start;
        }
    }
    if let Some(last) = front.last_mut().filter(|_| BLOCKING) {
        *last = end;
    }
}
