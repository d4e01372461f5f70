use super::instance::{Instance, Offsets};
use crate::{Error, Result};

/// How a pipeline goes through the table: `stages` stages of `fold` neighbouring elements each,
/// `visit` operands of an element at a time.
///
/// In a step with head i, stage q gives the elements i - q fold - r, r < fold, their operands q
/// visit to (q + 1) visit - 1; then the head moves on by `fold`. With one operand a visit this is
/// the p-fold pipeline of Matsumae (2022), its special case p = 1 the k-stage pipeline, with two
/// operands the 2-by-2 pipeline (Miyazaki and Matsumae 2018), with all of them the plain gather of
/// elements that do not depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schedule {
    /// Operands an element takes in one step.
    pub(super) visit: usize,
    /// Neighbouring elements of a stage: the source's p.
    pub(super) fold: usize,
    pub(super) stages: usize,
    /// The first element to fill and the end of the table.
    pub(super) first: usize,
    pub(super) end: usize,
}

impl Schedule {
    /// A schedule for an instance; `fold` is by default the largest that is safe.
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
        // More than the elements there are would be idle.
        let fold = narrow(wanted)?.min((end - first).max(1));
        Ok(Schedule { visit, fold, stages: instance.operands().div_ceil(visit), first, end })
    }

    /// Steps until the last element is complete. The source's last head is too small unless `fold`
    /// divides the number of elements: the last stages would miss some.
    pub(super) fn steps(&self) -> usize {
        match self.end - self.first {
            0 => 0,
            elements => elements.div_ceil(self.fold) + self.stages - 1,
        }
    }

    /// Elements worked on in one step, each by a thread of its own.
    pub(super) fn threads(&self) -> usize {
        self.fold.saturating_mul(self.stages)
    }
}

/// The largest fold for which no step reads an element that it also writes: the source calls every
/// fold correct, but a read at i - q p - a reaches the elements i - m p + 1 to i that the m stages
/// write unless a >= (m - q) p. So it is the least of a / (m - q) over the stages q, a being the
/// smallest offset of the stage; at least 1, since offsets are different. A larger fold reads
/// unfinished elements on any table of length 2 a_0 + p.
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
