//! The exact methods' contribution to a search: a better bound, and an optimality proof if it is
//! cheap.

use std::time::Duration;

use super::Portfolio;
use crate::flow_shop::{Bound, ExactOptions, Incumbent, Subproblem, exact};
use crate::{Dispatch, Engine, Error, Result};

/// Most steps for the root's two-machine bound: some tenths of a second. Larger instances skip it.
const ROOT_STEPS: u64 = 300_000_000;
/// Steps of branch and bound if no time limit is set: about a second on one core.
const PROOF_STEPS: u64 = 1 << 29;

impl Portfolio<'_, '_> {
    /// Raises the bound to the root children's two-machine bound: some job must be first, and some
    /// job must be last.
    pub(in crate::flow_shop::search) fn raise_root_bound(&mut self) -> Result<()> {
        let (jobs, machines) = (self.shop.jobs() as u64, self.shop.machines() as u64);
        if jobs * jobs * machines * machines > ROOT_STEPS {
            return Ok(());
        }
        let instance = self.incumbent.instance;
        let root = Subproblem { front: instance.pinned().to_vec(), back: Vec::new() };
        let mut on_cpu = self.context.dispatch(Some(Engine::Cpu))?;
        let monitor = self.incumbent.monitor;
        let bounds = match exact::bound_watched(
            instance,
            Bound::TwoMachine,
            &[root],
            &mut on_cpu,
            monitor,
        ) {
            // The old bound remains valid.
            Err(error) if matches!(*error, Error::Stopped | Error::OutOfMemory { .. }) => {
                return Ok(());
            }
            bounds => bounds?.0,
        };
        for side in 0..2 {
            let least = bounds.iter().map(|child| child[side]).min();
            self.incumbent.raise(least.unwrap_or(0));
        }
        Ok(())
    }

    /// Runs branch and bound until `until` has passed since the start, or for a fixed number of
    /// nodes if the result must not depend on time.
    pub(super) fn prove(
        &mut self,
        until: Option<Duration>,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        let whole = self.incumbent.monitor;
        let counts = until.is_none() || self.solve_options.limits.iterations.is_some();
        let nodes = PROOF_STEPS / (self.shop.jobs() * self.shop.machines()) as u64;
        let time = until.map(|until| until.saturating_sub(whole.elapsed()));
        let part = whole.part(time, counts.then_some(nodes));
        let (best, bound) = (self.incumbent.best(), self.incumbent.bound());
        let mut incumbent = Incumbent::start(self.incumbent.instance, &part, best, bound);
        let options = ExactOptions { checkpoint: None, ..self.exact.clone() };
        let proof = match counts {
            // Nodes are counted on the CPU, even if other methods use a device.
            true => {
                let mut on_cpu = self.context.dispatch(Some(Engine::Cpu))?;
                exact::run(&mut incumbent, &options, counts, &mut on_cpu, self.statistics)
            }
            false => exact::run(&mut incumbent, &options, counts, dispatch, self.statistics),
        };
        match proof {
            // Branch and bound needs more memory than the other methods.
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {}
            proof => proof?,
        }
        let (best, bound) = (incumbent.best(), incumbent.bound());
        whole.join(&part);
        self.incumbent.offer(&best.order, best.value);
        self.incumbent.raise(bound);
        Ok(())
    }
}
