//! The pipelines of the paper step by step, on an example.

/// An S-DP: the element `ST[i]` combines `ST[i - a]` over all offsets a, in decreasing order.
pub(super) struct Example {
    pub(super) offsets: &'static [usize],
    /// The elements.
    pub(super) length: usize,
    pub(super) fold: usize,
}

/// What a thread does in a step: it applies its offset to an element.
pub(super) struct Operation {
    pub(super) thread: usize,
    pub(super) target: usize,
    pub(super) read: usize,
    /// Whether the element that is read has all its operands.
    pub(super) is_finished: bool,
}

/// A turn of the outer loop of Figures 2 and 6.
pub(super) struct Step {
    pub(super) head: usize,
    pub(super) operations: Vec<Operation>,
    /// Elements whose last operand the step applies.
    pub(super) completed: Vec<usize>,
}

impl Example {
    fn first(&self) -> usize {
        self.offsets[0]
    }

    /// The steps until the head passes that one.
    fn until(&self, last: usize) -> Vec<Step> {
        let Example { offsets, length, fold } = *self;
        let mut operands = vec![0; length];
        operands[..self.first()].fill(offsets.len());
        let heads = (self.first() + fold - 1..=last).step_by(fold);
        let step = |head: usize| {
            let operation = |thread: usize| {
                let target = head.checked_sub(thread)?;
                if target < self.first() || target >= length {
                    return None;
                }
                let read = target - offsets[thread / fold];
                let is_finished = operands[read] == offsets.len();
                Some(Operation { thread, target, read, is_finished })
            };
            let operations: Vec<_> = (0..fold * offsets.len()).filter_map(operation).collect();
            operations.iter().for_each(|done| operands[done.target] += 1);
            let mut completed: Vec<_> = operations
                .iter()
                .map(|done| done.target)
                .filter(|&target| operands[target] == offsets.len())
                .collect();
            completed.sort_unstable();
            Step { head, operations, completed }
        };
        heads.map(step).collect()
    }

    /// All steps until the last element is complete.
    pub(super) fn steps(&self) -> Vec<Step> {
        let elements = self.length - self.first();
        let count = elements.div_ceil(self.fold) + self.offsets.len() - 1;
        self.until(self.first() - 1 + count * self.fold)
    }

    /// The elements that lack operands after the last head that the paper prints,
    /// (n - 1) + (k - 1) p.
    pub(super) fn missed(&self) -> Vec<usize> {
        let last = self.length - 1 + (self.offsets.len() - 1) * self.fold;
        let completed: Vec<usize> =
            self.until(last).into_iter().flat_map(|step| step.completed).collect();
        (self.first()..self.length).filter(|element| !completed.contains(element)).collect()
    }

    /// The step, counted from 1, and the operation that first reads an element without all its
    /// operands.
    pub(super) fn first_wrong_read(&self) -> Option<(usize, Operation)> {
        self.steps().into_iter().zip(1..).find_map(|(step, number)| {
            let wrong = step.operations.into_iter().find(|done| !done.is_finished)?;
            Some((number, wrong))
        })
    }
}
