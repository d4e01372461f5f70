use std::ptr;

use super::MOST_NUMBERS;

/// What the bytes still say; zeros at their end.
pub(super) struct Bytes<'d>(pub(super) &'d [u8]);

impl Bytes<'_> {
    pub(super) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    pub(super) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Mostly small, at times at an end of a range.
    pub(super) fn number(&mut self) -> u64 {
        const ENDS: [u64; 8] = [
            0,
            u64::MAX,
            i64::MAX as u64,
            i64::MIN as u64,
            u32::MAX as u64,
            i32::MAX as u64,
            1 << 59,
            1 << 24,
        ];
        match self.byte() {
            end @ 248.. => ENDS[usize::from(end - 248)],
            high @ 200..248 => u64::from(high) << 8 | u64::from(self.byte()),
            small => small.into(),
        }
    }

    pub(super) fn list<T>(&mut self, count: usize, convert: impl Fn(u64) -> T) -> Vec<T> {
        (0..count).map(|_| convert(self.number())).collect()
    }

    pub(super) fn count(&mut self) -> usize {
        self.below(MOST_NUMBERS + 1)
    }

    pub(super) fn text(&mut self) -> Vec<u8> {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        text.to_vec()
    }

    /// A number that C takes for an enumeration's.
    pub(super) fn choice(&mut self) -> i32 {
        i32::from(self.byte() as i8 % 12)
    }

    pub(super) fn real(&mut self) -> f64 {
        const ENDS: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -0.0, 5e-324];
        match self.byte() {
            end @ 250.. => ENDS[usize::from(end - 250)],
            small => f64::from(small) / 8.0,
        }
    }

    /// The pointer, or now and then NULL.
    pub(super) fn or_null<T>(&mut self, pointer: *const T) -> *const T {
        if self.byte() % 32 == 31 { ptr::null() } else { pointer }
    }
}
