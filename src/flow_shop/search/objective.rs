//! What a portfolio asks of its objective: the evaluators of each search, bounds, and a proof.

use super::beam::DeviceTree;
use super::evaluator::{NeighbourhoodEvaluator, PartialSequence};
use super::tabu::{Paced, State};
use super::{SearchOptions, Shop};
use crate::flow_shop::{ExactOptions, Incumbent, Instance};
use crate::opencl::{Device, Queue};
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Result};

/// An objective with an implementation for each search. Values have 32 bits.
pub(super) trait Objective {
    type Neighbours<'a>: NeighbourhoodEvaluator<Value = u64> + Send;
    type DeviceTabu<'a>: Paced + Send;
    /// Sequences of iterated greedy search, in a type of number for small values and in any.
    type Narrow<'a>: PartialSequence<Value = u64> + Send;
    type Wide<'a>: PartialSequence<Value = u64> + Send;
    /// What makes a node of a beam promising.
    type Guide: Copy;
    type Tree<'a>: DeviceTree<Value = u64>;

    /// Most jobs that the kernels number, of tabu and of beam search.
    const MOST_TABU_JOBS: usize;
    const MOST_BEAM_JOBS: usize;
    /// The guides that compete.
    const GUIDES: [Self::Guide; 2];

    /// The value of a sequence.
    fn value(shop: &Shop, order: &[u32]) -> u64;

    /// Number of completion times computed for a neighbourhood.
    fn neighbourhood_work(shop: &Shop, options: &SearchOptions) -> u64;

    /// Most bytes of [`Objective::neighbours`].
    fn neighbours_bytes(shop: &Shop, options: &SearchOptions) -> u128;

    fn neighbours<'a>(
        shop: &'a Shop,
        monitor: &'a Monitor,
        options: &SearchOptions,
    ) -> Self::Neighbours<'a>;

    /// Tabu search from these states on a device.
    fn device_tabu<'a>(
        device: &Device,
        queue: &'a Queue,
        shop: &'a Shop,
        monitor: &'a Monitor,
        options: &SearchOptions,
        states: &[State],
    ) -> Result<Self::DeviceTabu<'a>>;

    /// Whether the narrow type holds all numbers of sequences reached from one of this value by
    /// moving `moved` jobs.
    fn is_narrow(shop: &Shop, value: u64, moved: u32) -> bool;

    fn narrow(shop: &Shop) -> Self::Narrow<'_>;

    fn wide(shop: &Shop) -> Self::Wide<'_>;

    /// Bytes of a narrow or a wide sequence.
    fn sequence_bytes(shop: &Shop, is_narrow: bool) -> u64;

    /// The tree of a beam for values below `cutoff`.
    fn tree<'a>(
        shop: &'a Shop,
        monitor: &'a Monitor,
        instance: &Instance,
        guide: Self::Guide,
        cutoff: u32,
    ) -> Self::Tree<'a>;

    /// Steps of [`Objective::root_bounds`], about.
    fn root_steps(shop: &Shop) -> u64;

    /// Lower bounds from the root's children: no sequence has a smaller value.
    fn root_bounds(
        instance: &Instance,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
    ) -> Result<Vec<u32>>;

    /// Branch and bound; each decomposed node may count as an iteration.
    fn prove(
        incumbent: &mut Incumbent<'_>,
        options: &ExactOptions,
        counts_iterations: bool,
        dispatch: &mut Dispatch<'_>,
        statistics: &mut Statistics,
    ) -> Result<()>;
}
