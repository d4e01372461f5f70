//! Counts by place, with sums in logarithmic time: P. M. Fenwick (1994), "A new data structure for
//! cumulative frequency tables", Software: Practice and Experience 24, 327-336.

pub(super) struct Counts {
    /// `sums[i]` counts the b places from i - b to i - 1; b is the lowest set bit of i.
    sums: Vec<u32>,
    all: u32,
}

impl Counts {
    pub(super) fn new(places: usize) -> Self {
        Counts { sums: vec![0; places + 1], all: 0 }
    }

    pub(super) fn add(&mut self, place: u32) {
        let mut at = place as usize + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum += 1;
            at += at & at.wrapping_neg();
        }
        self.all += 1;
    }

    /// The count of all places behind this one.
    pub(super) fn behind(&self, place: u32) -> u32 {
        let (mut at, mut before) = (place as usize + 1, 0);
        while at > 0 {
            before += self.sums[at];
            at &= at - 1;
        }
        self.all - before
    }
}
