//! The source's algorithms on the CPU, as published: one element after the other, a tournament for
//! each element, and the pipelines step by step.

use super::algebra::Algebra;
use super::problem::Single;
use super::schedule::Schedule;
use crate::solve::Monitor;
use crate::{Result, memory, parallel};

/// Operands of a step for which several threads are worth it.
const PARALLEL_WORK: usize = 1 << 18;
/// Elements of a stage that one thread computes at a time.
const TILE: usize = 1 << 12;

/// Element by element, operand by operand (Matsumae 2022, Figure 1).
pub(super) fn sequential<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    table: &mut [A::Value],
    monitor: &Monitor,
) -> Result<()> {
    let operands = single.problem.instance.operands();
    let Some(mut partial) = blank(single, table) else { return Ok(()) };
    for at in single.problem.preset..table.len() {
        monitor.check_long_step(at, operands)?;
        let (done, rest) = table.split_at_mut(at);
        single.apply(done, at, 0..operands, std::slice::from_mut(&mut partial));
        single.finish(&[partial], &mut rest[..1])?;
    }
    Ok(())
}

/// Merges the operands of each element in pairs, then the winners, and so on (Matsumae 2022,
/// Section 2.2).
pub(super) fn tournament<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    table: &mut [A::Value],
    monitor: &Monitor,
) -> Result<()> {
    let operands = single.problem.instance.operands();
    let Some(blank) = blank(single, table) else { return Ok(()) };
    let mut round = memory::filled(blank, operands)?;
    for at in single.problem.preset..table.len() {
        monitor.check_long_step(at, operands)?;
        let (done, rest) = table.split_at_mut(at);
        for (operand, partial) in round.iter_mut().enumerate() {
            single.apply_alone(done, at, operand, partial);
        }
        let mut stride = 1;
        while stride < operands {
            single.problem.algebra.merge_pairs(&mut round, stride);
            stride *= 2;
        }
        let partial = match single.terms {
            Some(terms) => {
                let algebra = single.problem.algebra;
                algebra.merge(algebra.lift(terms[at - single.problem.preset]), round[0])
            }
            None => round[0],
        };
        single.finish(&[partial], &mut rest[..1])?;
    }
    Ok(())
}

/// Runs all stages of a step, then the next step (Matsumae 2022, Figures 2 and 6; see
/// [`Schedule`]).
pub(super) fn pipeline<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    table: &mut [A::Value],
    schedule: &Schedule,
    threads: usize,
    monitor: &Monitor,
) -> Result<()> {
    let operands = single.problem.instance.operands();
    let Some(blank) = blank(single, table) else { return Ok(()) };
    let Schedule { visit, fold, stages, .. } = *schedule;
    // The partial results of a fold stay in one place while it passes through the stages.
    let mut folds = memory::filled(blank, schedule.threads())?;
    let spread = threads > 1 && schedule.threads() * visit >= PARALLEL_WORK;
    for step in 0..schedule.steps() {
        monitor.check_long_step(step, fold * operands)?;
        // First element of the fold that this step completes; all elements before it are complete.
        let oldest = schedule.first + (step + 1).saturating_sub(stages) * fold;
        let (done, rest) = table.split_at_mut(oldest.min(schedule.end));
        let work = |(place, partials): (usize, &mut [A::Partial])| {
            // Number of steps since a fold in this place began.
            let stage = (step + stages - place) % stages;
            let Some(began) = step.checked_sub(stage) else { return };
            let at = schedule.first + began * fold;
            let count = fold.min(schedule.end.saturating_sub(at));
            let range = stage * visit..((stage + 1) * visit).min(operands);
            let tiles = partials[..count].chunks_mut(TILE).enumerate();
            let apply = |(tile, partials): (usize, &mut [A::Partial])| {
                single.apply(done, at + tile * TILE, range.clone(), partials);
            };
            if spread { parallel::for_each(tiles, apply) } else { tiles.for_each(apply) }
        };
        if spread {
            parallel::for_each(folds.chunks_mut(fold).enumerate(), work);
        } else {
            folds.chunks_mut(fold).enumerate().for_each(work);
        }
        if let Some(began) = (step + 1).checked_sub(stages) {
            let count = fold.min(rest.len());
            single.finish(&folds[began % stages * fold..][..count], &mut rest[..count])?;
        }
    }
    Ok(())
}

/// An arbitrary partial result to initialise memory with.
fn blank<A: Algebra + ?Sized>(single: &Single<'_, A>, table: &[A::Value]) -> Option<A::Partial> {
    table.first().map(|&value| single.problem.algebra.lift(value))
}
