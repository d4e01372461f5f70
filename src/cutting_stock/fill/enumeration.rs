use super::Items;
use super::sums::Sums;
use crate::Result;
use crate::memory::Gather;

/// Kinds in ascending order, each with its number of cuts.
pub(super) type Cuts = Vec<(u32, u32)>;

/// Depth-first enumeration of the patterns of a piece. Kinds ascend, so that each pattern occurs
/// once.
pub(super) struct PatternEnumeration<'a> {
    items: &'a Items,
    sums: &'a Sums,
    /// Remaining items without those of the pattern.
    counts: Vec<u32>,
    /// The kinds cut, one entry for each item.
    cut: Vec<usize>,
    /// Remaining length of the piece.
    room: u64,
    /// Most length that may stay unused.
    waste: u64,
    /// Most items of a pattern.
    most: usize,
    /// The first kind that may be cut next.
    from: usize,
}

impl<'a> PatternEnumeration<'a> {
    /// An enumeration of patterns of at most `most` items.
    pub(super) fn new(items: &'a Items, sums: &'a Sums, most: usize) -> Self {
        let counts = items.counts.clone();
        PatternEnumeration {
            items,
            sums,
            counts,
            cut: Vec::new(),
            room: 0,
            waste: 0,
            most,
            from: 0,
        }
    }

    /// Starts with an item of this kind in a piece of length `room`; at most `waste` of it may stay
    /// unused.
    pub(super) fn start(&mut self, first: usize, room: u64, waste: u64) {
        (self.room, self.waste) = (room, waste);
        self.take(first);
    }

    /// Cuts the longest item that can lead to little enough waste, or a later one as long as
    /// `skips` returns true. Returns false if there is none.
    pub(super) fn forward(&mut self, mut skips: impl FnMut() -> bool) -> bool {
        let fitting =
            self.items.lengths.partition_point(|&length| length > self.room).max(self.from);
        let more = (self.most - self.cut.len()) as u64;
        if more == 0 {
            return false;
        }
        let mut chosen = None;
        for kind in fitting..self.items.lengths.len() {
            // If this kind and shorter ones cannot fill the piece, shorter ones cannot either.
            let longest = self.items.lengths[kind].saturating_mul(more);
            if longest.saturating_add(self.waste) < self.room || !self.can_fill(kind, self.room) {
                break;
            }
            if self.counts[kind] > 0 && self.can_fill(kind, self.room - self.items.lengths[kind]) {
                chosen = Some(kind);
                if !skips() {
                    break;
                }
            }
        }
        chosen.map(|kind| self.take(kind)).is_some()
    }

    /// Removes the last item, so that the next cut is shorter. Returns false if that was the first
    /// item.
    #[inline]
    pub(super) fn back(&mut self) -> bool {
        let Some(kind) = self.cut.pop() else { return false };
        self.counts[kind] += 1;
        self.room += self.items.lengths[kind];
        self.from = kind + 1;
        !self.cut.is_empty()
    }

    #[inline]
    pub(super) fn room(&self) -> u64 {
        self.room
    }

    pub(super) fn cuts(&self) -> Result<Cuts> {
        self.cut.chunk_by(|a, b| a == b).map(|run| (run[0] as u32, run.len() as u32)).gather()
    }

    #[inline]
    fn can_fill(&self, kind: usize, room: u64) -> bool {
        self.sums.greatest(kind, room, self.waste).is_some()
    }

    #[inline]
    fn take(&mut self, kind: usize) {
        self.counts[kind] -= 1;
        self.room -= self.items.lengths[kind];
        self.cut.push(kind);
        self.from = kind;
    }
}
