//! Work by which the kernels are timed.

use super::self_test::{self, monitor};
use super::{DeviceProfits, DeviceSums};
use crate::knapsack::dense::bits::Sums;
use crate::knapsack::dense::profits::Profits;
use crate::knapsack::dense::{Problem, Rows, cells, items};
use crate::opencl::{Case, TimedFamily, Workload, agree, timed};
use crate::random::Random;
use crate::{Context, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[
        Workload {
            name: "profits of light items",
            tunables: "GROUP EACH HALO_PART TOGETHER",
            case: |_, size| profits(size, light),
        },
        Workload {
            name: "profits of heavy items",
            tunables: "GROUP QUAD_EACH",
            case: |_, size| profits(size, heavy),
        },
        Workload {
            name: "sums of light items",
            tunables: "SUM_GROUP SUM_EACH HALO_PART TOGETHER LEAST_USEFUL",
            case: |_, size| sums(size, light),
        },
        Workload {
            name: "sums of heavy items",
            tunables: "SUM_GROUP SUM_QUAD_EACH",
            case: |_, size| sums(size, heavy),
        },
    ],
};

const ITEMS: usize = 96;
/// Cells of the smallest rows.
const PROFITS: usize = 1 << 14;
const SUMS: usize = 1 << 18;
/// Doublings of the largest rows.
const MOST_DOUBLINGS: u32 = 10;

/// Draws a weight for rows of some cells.
type Weight = fn(&mut Random, usize) -> u64;

/// Such items share a pass in local memory.
fn light(random: &mut Random, _: usize) -> u64 {
    1 + random.below(60)
}

/// Such items do not.
fn heavy(random: &mut Random, cells: usize) -> u64 {
    cells as u64 / 8 + random.below(1 << 10)
}

fn problem(cells: usize, weight: Weight, sums: bool) -> Result<Problem> {
    let mut random = Random::new(3);
    let weights = (0..ITEMS).map(|_| weight(&mut random, cells)).collect();
    self_test::problem_of(weights, cells as u64 - 1, sums, &mut random)
}

/// The row after all items.
fn last<R: Rows>(rows: &mut R, problem: &Problem) -> Result<R::Row> {
    let start = rows.start(cells(problem)?)?;
    let last = rows.advance(&start, &items(problem, &monitor())?, 0)?;
    // A device has to be waited for.
    rows.value(&last, 0)?;
    Ok(last)
}

fn profits(size: u32, weight: Weight) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let problem = problem(PROFITS << size, weight, false)?;
    let context = Context::of_all_threads()?;
    let expected = {
        let watch = monitor();
        let mut rows = Profits::<i32>::new(&context, &watch);
        let last = last(&mut rows, &problem)?;
        rows.values(last)?
    };
    Ok(Some(Box::new(move |device| {
        let watch = monitor();
        let mut rows = DeviceProfits::<i32>::new(&context, &watch, device)?;
        let (last, time) = timed(|| last(&mut rows, &problem))?;
        agree("profits", &rows.values(last)?, &expected)?;
        Ok(time)
    })))
}

fn sums(size: u32, weight: Weight) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let problem = problem(SUMS << size, weight, true)?;
    let context = Context::of_all_threads()?;
    let expected = {
        let watch = monitor();
        last(&mut Sums::new(&context, &watch), &problem)?.words
    };
    Ok(Some(Box::new(move |device| {
        let watch = monitor();
        let mut rows = DeviceSums::new(&context, &watch, device)?;
        let (last, time) = timed(|| last(&mut rows, &problem))?;
        agree("sums", &rows.download(&last, 0)?.words, &expected)?;
        Ok(time)
    })))
}
