use super::Instance;
use crate::{Error, Result, memory};

/// A solution of 1||sum w_j C_j: the jobs in the sequence in which the machine takes them, without
/// pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    order: Vec<u32>,
}

impl Sequence {
    /// A sequence of jobs, counted from 0.
    pub fn new(order: Vec<u32>) -> Self {
        Sequence { order }
    }

    /// The jobs, counted from 0, in their sequence.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Checks the sequence against the instance, independently of the method, and returns the sum
    /// of weighted completion times.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless the order contains every job of the instance exactly once;
    /// [`Error::OutOfMemory`].
    pub fn cost(&self, instance: &Instance) -> Result<u64> {
        let (jobs, given) = (instance.jobs(), self.order.len());
        if given != jobs {
            return Err(Error::argument("order", format!("{given} jobs, the instance has {jobs}")));
        }
        let mut seen = memory::filled(false, jobs)?;
        let (mut now, mut cost) = (0, 0);
        for (position, &job) in self.order.iter().enumerate() {
            let fault = match seen.get_mut(job as usize) {
                None => Some(format!("there is no job {job}, only {jobs}")),
                Some(seen) => std::mem::replace(seen, true).then(|| format!("job {job} again")),
            };
            if let Some(reason) = fault {
                return Err(Error::element("order", position, reason));
            }
            now += instance.times()[job as usize];
            cost += instance.weights()[job as usize] * now;
        }
        Ok(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_weighted_completion_times() {
        let instance = Instance::new(vec![3, 1, 2], vec![1, 4, 0]).unwrap();
        let cost = |order: [u32; 3]| Sequence::new(order.to_vec()).cost(&instance).unwrap();
        assert_eq!(cost([0, 1, 2]), 3 + 4 * 4);
        assert_eq!(cost([2, 1, 0]), 4 * 3 + 6);
    }

    #[test]
    fn faults_are_found() {
        let instance = Instance::new(vec![3, 1], vec![1, 4]).unwrap();
        let fault =
            |order: &[u32]| Sequence::new(order.to_vec()).cost(&instance).unwrap_err().to_string();
        assert_eq!(fault(&[0]), "order: 1 jobs, the instance has 2");
        assert_eq!(fault(&[0, 2]), "order[1]: there is no job 2, only 2");
        assert_eq!(fault(&[1, 1]), "order[1]: job 1 again");
    }
}
