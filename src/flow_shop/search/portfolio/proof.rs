//! The exact methods' contribution to a search: a better bound, and an optimality proof if it is
//! cheap.

use std::time::Duration;

use super::Portfolio;
use crate::flow_shop::search::objective::Objective;
use crate::flow_shop::{ExactOptions, Incumbent};
use crate::{Dispatch, Engine, Error, Result};

/// Largest number of steps for the bounds of the root's children: some tenths of a second. Larger
/// instances skip these bounds.
const ROOT_STEPS: u64 = 300_000_000;
/// Steps of branch and bound if no time limit is set: about a second on one core.
const PROOF_STEPS: u64 = 1 << 29;

impl<O: Objective> Portfolio<'_, '_, O> {
    /// Raises the bound to the best bound of the root's children.
    pub(in crate::flow_shop::search) fn raise_root_bound(&mut self) -> Result<()> {
        if O::root_steps(self.shop) > ROOT_STEPS {
            return Ok(());
        }
        let mut on_cpu = self.context.dispatch(Some(Engine::Cpu))?;
        let (instance, monitor) = (self.incumbent.instance, self.incumbent.monitor);
        let bounds = match O::root_bounds(instance, &mut on_cpu, monitor) {
            // The old bound remains valid.
            Err(error) if matches!(*error, Error::Stopped | Error::OutOfMemory { .. }) => {
                return Ok(());
            }
            bounds => bounds?,
        };
        bounds.into_iter().for_each(|bound| self.incumbent.raise(bound));
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
                O::prove(&mut incumbent, &options, counts, &mut on_cpu, self.statistics)
            }
            false => O::prove(&mut incumbent, &options, counts, dispatch, self.statistics),
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
