//! Choices: the operand that gives each element its value.

use super::NO_CHOICE;
use super::algebra::Algebra;
use super::problem::{Operands, Single};
use super::relax::OperandList;
use crate::solve::Monitor;
use crate::{Result, memory, parallel};

/// Elements of a run; their choices stay in registers.
const RUN: usize = 64;
/// With this many offsets, a run takes far longer than a check for stops.
const MANY_OFFSETS: usize = 1 << 10;
/// Elements that one thread computes at a time.
const TILE: usize = 1 << 12;

/// The choice of each element of a complete table that is not preset: the position of the first
/// offset that gives the element's value; [`NO_CHOICE`] if the term gives it or no offset does.
pub(super) fn choices<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    table: &[A::Value],
    monitor: &Monitor,
) -> Result<Vec<u32>> {
    let preset = single.problem.preset;
    let mut choices = memory::zeroed(table.len() - preset)?;
    parallel::try_for_each(choices.chunks_mut(TILE).enumerate(), |(tile, choices)| {
        monitor.check()?;
        for (run, choices) in choices.chunks_mut(RUN).enumerate() {
            let at = preset + tile * TILE + run * RUN;
            match &single.problem.operands {
                Operands::Fixed { offsets, .. } => {
                    if offsets.len() > MANY_OFFSETS {
                        monitor.check()?;
                    }
                    let operands = OperandList { offsets, weights: single.weights };
                    single.problem.algebra.choose(table, at, operands, choices);
                    leave_out(single, &table[at..], at, choices);
                }
                Operands::Rows { width, shifts, gains, .. } => {
                    for (at, choice) in (at..).zip(choices) {
                        let row = at / width - 1;
                        let with = at % width >= shifts[row]
                            && gives(
                                single,
                                gains[row],
                                table[at - width - shifts[row].min(at - width)],
                                table[at],
                            );
                        *choice = u32::from(!with);
                    }
                }
            }
        }
        Ok(())
    })?;
    Ok(choices)
}

/// Whether weight (*) source equals the value.
fn gives<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    weight: A::Value,
    source: A::Value,
    value: A::Value,
) -> bool {
    let algebra = single.problem.algebra;
    algebra.finish(algebra.weigh(weight, source), &mut true) == value
}

/// Clears the choices of elements that their term gives or that nothing reaches.
fn leave_out<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    values: &[A::Value],
    at: usize,
    choices: &mut [u32],
) {
    if let Some(terms) = single.terms {
        let terms = &terms[at - single.problem.preset..];
        for ((choice, value), term) in choices.iter_mut().zip(values).zip(terms) {
            *choice = if term == value { NO_CHOICE } else { *choice };
        }
    }
    if let Some(zero) = single.problem.zero {
        for (choice, &value) in choices.iter_mut().zip(values) {
            *choice = if value == zero { NO_CHOICE } else { *choice };
        }
    }
}
