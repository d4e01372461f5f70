//! Random numbers that depend only on their seed.

/// Random numbers by SplitMix64 (Steele, Lea, Flood 2014): the same seed gives the same sequence
/// everywhere.
pub(crate) struct Random {
    state: u64,
}

/// Increment of the state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The number at index `place` of the sequence with seed 0.
    pub(crate) fn at(place: u64) -> u64 {
        Random::new(place.wrapping_mul(STEP)).next()
    }

    /// A number in [0, `end`), for `end` > 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Moves `chosen` random elements to the front.
    #[inline]
    pub(crate) fn choose<T>(&mut self, list: &mut [T], chosen: usize) {
        for position in 0..chosen.min(list.len()) {
            let rest = (list.len() - position) as u64;
            list.swap(position, position + self.below(rest) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_splitmix64() {
        let mut random = Random::new(1234567);
        assert_eq!(random.next(), 6457827717110365317);
        assert_eq!(random.next(), 3203168211198807973);
        let mut random = Random::new(0);
        assert!((0..9).all(|place| Random::at(place) == random.next()));
    }

    #[test]
    fn numbers_stay_in_their_range_and_elements_are_kept() {
        let mut random = Random::new(5);
        assert!((0..1000).all(|_| random.below(3) < 3 && (0.0..1.0).contains(&random.unit())));
        let mut list = [1, 2, 3, 4, 5];
        random.choose(&mut list, 9);
        list.sort();
        assert_eq!(list, [1, 2, 3, 4, 5]);
    }
}
