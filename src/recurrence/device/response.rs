use super::super::algebra::Algebra;
use super::super::problem::{Operands, Problem};
use super::super::relax::OperandList;

/// The impulse response of a recurrence, for each instance that has its own weights, or one for
/// all. It is the table that has the neutral element of (*) at 0 and that of (+) before. A block of
/// elements follows from its history by ST\[i\] = (+)_d h_d (*) history\[i - d\]. The response ends
/// before the first value out of range.
pub(super) fn responses<A: Algebra + ?Sized>(
    problem: &Problem<'_, A>,
    most: usize,
) -> Option<(Vec<A::Value>, usize)> {
    let Operands::Fixed { offsets, weights } = &problem.operands else { return None };
    let algebra = problem.algebra;
    let one = algebra.encode(problem.instance.semiring().one()?)?;
    let zero = problem.zero?;
    let mut all: Vec<Vec<A::Value>> = Vec::new();
    for weights in weights.chunks(offsets.len()) {
        let mut response = vec![one];
        let mut in_range = true;
        while response.len() < most {
            let at = response.len();
            let first = offsets.partition_point(|&offset| offset > at);
            let operands = OperandList { offsets: &offsets[first..], weights: &weights[first..] };
            let sum = algebra.gather_one(&response, at, operands, Some(algebra.lift(zero)))?;
            let value = algebra.finish(sum, &mut in_range);
            if !in_range {
                break;
            }
            response.push(value);
        }
        all.push(response);
    }
    let block = all.iter().map(Vec::len).min()?;
    Some((all.iter().flat_map(|response| &response[..block]).copied().collect(), block))
}
