//! Greatest common divisors.

/// The greatest common divisor, by Euclid's algorithm; with 0, the other number.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_are_common_and_greatest() {
        for (a, b, expected) in
            [(0, 0, 0), (0, 7, 7), (7, 0, 7), (12, 18, 6), (u64::MAX, 3 << 40, 3)]
        {
            assert_eq!(gcd(a, b), expected);
        }
    }
}
