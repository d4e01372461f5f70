use super::instance::{Instance, Offsets};
use crate::{Error, Result};

/// The order in which a pipeline fills the table: `stages` stages of `fold` neighbouring elements
/// each, `visit` operands of an element at a time.
///
/// In a step with head i, stage q applies the operands q visit to (q + 1) visit - 1 to the elements
/// i - q fold - r, r < fold; then the head advances by `fold`. With one operand for each visit this
/// is the p-fold pipeline of Matsumae (2022), and with p = 1 the k-stage pipeline. With two
/// operands it is the 2-by-2 pipeline (Miyazaki and Matsumae 2018), and with all operands the plain
/// gather of elements that do not depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schedule {
    /// Operands that an element takes in one step.
    pub(super) visit: usize,
    /// Neighbouring elements of a stage: the source's p.
    pub(super) fold: usize,
    pub(super) stages: usize,
    /// The first element to fill, and the end of the table.
    pub(super) first: usize,
    pub(super) end: usize,
}

impl Schedule {
    /// A schedule for an instance; the default for `fold` is the largest safe one.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a fold of 0 or beyond [`largest_fold`].
    pub(super) fn new(instance: &Instance, visit: usize, fold: Option<u64>) -> Result<Self> {
        let safe = largest_fold(instance, visit);
        let wanted = fold.unwrap_or(safe);
        if wanted == 0 || wanted > safe {
            let reason = format!("is {wanted}; these offsets are safe from 1 to {safe}");
            return Err(Error::argument("fold", reason));
        }
        let narrow = |value: u64| {
            usize::try_from(value).map_err(|_| Error::overflow("the number of elements"))
        };
        let (first, end) = (narrow(instance.preset())?, narrow(instance.length())?);
        // A fold beyond the number of elements would only add idle threads.
        let fold = narrow(wanted)?.min((end - first).max(1));
        Ok(Schedule { visit, fold, stages: instance.operands().div_ceil(visit), first, end })
    }

    /// Number of steps until the last element is complete. The source's last head is too small
    /// unless `fold` divides the number of elements: the last stages would miss some.
    pub(super) fn steps(&self) -> usize {
        match self.end - self.first {
            0 => 0,
            elements => elements.div_ceil(self.fold) + self.stages - 1,
        }
    }

    /// Elements processed in one step, each by a separate thread.
    pub(super) fn threads(&self) -> usize {
        self.fold.saturating_mul(self.stages)
    }
}

/// The largest fold for which no step reads an element that it also writes.
///
/// The source calls every fold correct. But the m stages write the elements i - m p + 1 to i. A
/// read at i - q p - a is among them unless a >= (m - q) p. So the largest fold is the minimum of a
/// / (m - q) over the stages q, where a is the smallest offset of the stage. It is at least 1,
/// since offsets are different. A larger fold reads unfinished elements on any table of length 2
/// a_0 + p.
pub(super) fn largest_fold(instance: &Instance, visit: usize) -> u64 {
    let operands = instance.operands();
    let stages = operands.div_ceil(visit);
    let last = |stage: usize| (visit * (stage + 1)).min(operands) - 1;
    let offset = |operand: usize| match instance.structure() {
        Offsets::Fixed { offsets, .. } => offsets[operand],
        Offsets::Rows { width, .. } if operand == 1 => *width,
        Offsets::Rows { width, shifts, .. } => {
            width.saturating_add(shifts.iter().copied().min().unwrap_or(*width))
        }
    };
    (0..stages).map(|stage| offset(last(stage)) / (stages - stage) as u64).min().unwrap_or(1)
}
