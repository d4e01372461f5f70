//! Smith's rule (1956): jobs by rising time / weight.
//!
//! Exchanging two neighbours i, j of a sequence for j, i changes its cost by w_i p_j - w_j p_i. A
//! sequence by rising p / w therefore is optimal: sorting any other one by exchanges of neighbours
//! never makes it dearer.

use super::Instance;
use crate::Result;
use crate::memory::Gather;

/// The jobs in the order of the instance.
pub(super) fn given_order(instance: &Instance) -> Result<Vec<u32>> {
    (0..instance.jobs() as u32).gather()
}

/// An optimal sequence; of equal jobs the first comes first.
pub(super) fn sequence(instance: &Instance) -> Result<Vec<u32>> {
    let (times, weights) = (instance.times(), instance.weights());
    let mut order = given_order(instance)?;
    // The products are below 2^63. As no time is 0, a job of weight 0 comes last.
    order.sort_unstable_by(|&a, &b| {
        let (i, j) = (a as usize, b as usize);
        (times[i] * weights[j]).cmp(&(times[j] * weights[i])).then(a.cmp(&b))
    });
    Ok(order)
}

/// The cost of a sequence, by the weight that waits: every job delays itself and all after it.
pub(super) fn cost(instance: &Instance, order: &[u32]) -> u64 {
    let mut waiting: u64 = instance.weights().iter().sum();
    let mut cost = 0;
    for &job in order {
        cost += instance.times()[job as usize] * waiting;
        waiting -= instance.weights()[job as usize];
    }
    cost
}

/// A bound on all costs: no job ends before its own time is over.
pub(super) fn alone(instance: &Instance) -> u64 {
    instance.times().iter().zip(instance.weights()).map(|(time, weight)| time * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::single_machine::Sequence;

    #[test]
    fn the_rule_is_that_of_smith() {
        let instance = Instance::new(vec![3, 1, 2, 2, 5], vec![1, 4, 0, 2, 5]).unwrap();
        let order = sequence(&instance).unwrap();
        assert_eq!(order, [1, 3, 4, 0, 2]);
        let cost = cost(&instance, &order);
        assert_eq!(Sequence::new(order).cost(&instance).unwrap(), cost);
        assert!(alone(&instance) <= cost);
    }
}
