//! Rows of positions, machine after machine, turned into rows of machines, position after position.

use bytemuck::Zeroable;

use crate::flow_shop::search::Time;
use crate::simd::{self, HotLoop, Simd};

/// Times that can be spread over the lanes of positions.
pub(super) trait Lane: Time + Zeroable {
    fn minus(self, other: Self) -> Self;

    /// Writes `row[machine]` of each position to `out[machine * stride + position]`. The stride and
    /// the lengths of rows are multiples of 4.
    fn spread<'r>(
        simd: Simd,
        rows: impl Iterator<Item = &'r [Self]>,
        words: &mut Vec<u64>,
        out: &mut [Self],
        stride: usize,
    );
}

impl Lane for u32 {
    #[inline(always)]
    fn minus(self, other: u32) -> u32 {
        self.wrapping_sub(other)
    }

    fn spread<'r>(
        _: Simd,
        rows: impl Iterator<Item = &'r [u32]>,
        _: &mut Vec<u64>,
        out: &mut [u32],
        stride: usize,
    ) {
        for (position, row) in rows.enumerate() {
            for (machine, &time) in row.iter().enumerate() {
                out[machine * stride + position] = time;
            }
        }
    }
}

/// Four machines make a word. The words of every fourth position stand side by side, so that squares
/// of four by four are transposed in vectors of words.
impl Lane for u16 {
    #[inline(always)]
    fn minus(self, other: u16) -> u16 {
        self.wrapping_sub(other)
    }

    fn spread<'r>(
        simd: Simd,
        rows: impl Iterator<Item = &'r [u16]>,
        words: &mut Vec<u64>,
        out: &mut [u16],
        stride: usize,
    ) {
        let groups = stride / 4;
        words.resize(out.len() / 4, 0);
        let mut used = 0;
        for (position, row) in rows.enumerate() {
            let (group, lane) = (position / 4, position % 4);
            for (quad, four) in row.chunks_exact(4).enumerate() {
                words[(4 * quad + lane) * groups + group] =
                    word([four[0], four[1], four[2], four[3]]);
            }
            used = group + 1;
        }
        simd.run(Transposition { words, groups, used, out });
    }
}

struct Transposition<'a> {
    words: &'a [u64],
    /// Words in a row, and how many of them matter.
    groups: usize,
    used: usize,
    out: &'a mut [u16],
}

impl HotLoop for Transposition<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Transposition { words, groups, used, out } = self;
        let squares = words.chunks_exact(4 * groups).zip(out.chunks_exact_mut(16 * groups));
        for (rows, columns) in squares {
            let rows: [&[u64]; 4] = simd::array(|row| &rows[row * groups..][..used]);
            let (first, second) = columns.split_at_mut(8 * groups);
            let (c0, c1) = first.split_at_mut(4 * groups);
            let (c2, c3) = second.split_at_mut(4 * groups);
            let (c0, c1) = (fours(c0, used), fours(c1, used));
            let (c2, c3) = (fours(c2, used), fours(c3, used));
            for group in 0..used {
                let [a, b, c, d] = transposed(simd::array(|row| rows[row][group]));
                (c0[group], c1[group]) = (lanes(a), lanes(b));
                (c2[group], c3[group]) = (lanes(c), lanes(d));
            }
        }
    }
}

/// The positions of a column, four by four.
#[inline(always)]
fn fours(column: &mut [u16], used: usize) -> &mut [[u16; 4]] {
    &mut column.as_chunks_mut().0[..used]
}

/// The first number is in the lowest bits.
#[inline(always)]
fn word(numbers: [u16; 4]) -> u64 {
    u64::from_le_bytes(bytemuck::cast(simd::array::<_, 4>(|at| numbers[at].to_le())))
}

#[inline(always)]
fn lanes(word: u64) -> [u16; 4] {
    let numbers: [u16; 4] = bytemuck::cast(word.to_le_bytes());
    simd::array(|at| u16::from_le(numbers[at]))
}

/// The transpose of a square of 16-bit numbers, a word for each row: by single numbers, then by
/// pairs.
#[inline(always)]
fn transposed([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    const EVEN: u64 = 0x0000_ffff_0000_ffff;
    const LOW: u64 = 0xffff_ffff;
    let even = |a: u64, b: u64| (a & EVEN) | ((b & EVEN) << 16);
    let odd = |a: u64, b: u64| ((a >> 16) & EVEN) | (b & !EVEN);
    let low = |a: u64, b: u64| (a & LOW) | (b << 32);
    let high = |a: u64, b: u64| (a >> 32) | (b & !LOW);
    let (ab, cd) = ([even(a, b), odd(a, b)], [even(c, d), odd(c, d)]);
    [low(ab[0], cd[0]), low(ab[1], cd[1]), high(ab[0], cd[0]), high(ab[1], cd[1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Lane + std::fmt::Debug>(simd: Simd) {
        let (stride, width) = (64, 8);
        for positions in [1, 7, 33, 64] {
            let table: Vec<T> = (0..(positions * width) as u32)
                .map(|time| T::from_u32(time * 7 % 65_521))
                .collect();
            let mut out = vec![T::default(); width * stride];
            T::spread(simd, table.chunks_exact(width), &mut Vec::new(), &mut out, stride);
            for (place, &time) in table.iter().enumerate() {
                let (position, machine) = (place / width, place % width);
                assert_eq!(out[machine * stride + position], time, "{position} {machine}");
            }
        }
    }

    #[test]
    fn every_number_gets_to_its_lane() {
        for simd in Simd::available() {
            check::<u16>(simd);
            check::<u32>(simd);
        }
    }
}
