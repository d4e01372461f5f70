//! A problem for the devices' host code: values are bytes, so that this code is compiled once for
//! all algebras.

use std::ops::Range;

use super::super::algebra::Algebra;
use super::super::choices;
use super::super::instance::Instance;
use super::super::problem::{Operands, Problem};
use super::response::responses;
use crate::memory::{Gather, Grow};
use crate::solve::Monitor;
use crate::{Result, memory};

/// Elements of a table, stored in words so that all types of values are aligned.
pub(super) struct Elements {
    words: Vec<u64>,
    bytes: usize,
}

impl Elements {
    pub(super) fn zeroed(bytes: usize) -> Result<Self> {
        Ok(Elements { words: memory::zeroed(bytes.div_ceil(size_of::<u64>()))?, bytes })
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes]
    }

    /// Grows the memory and keeps the present elements.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<()> {
        self.bytes = bytes;
        self.words.try_resize(bytes.div_ceil(size_of::<u64>()), 0)
    }

    fn values<A: Algebra + ?Sized>(&self) -> &[A::Value] {
        &bytemuck::cast_slice(&self.words)[..self.bytes / size_of::<A::Value>()]
    }
}

/// The facts that do not depend on the type of values.
pub(super) struct Facts<'a> {
    pub(super) instance: &'a Instance,
    pub(super) length: usize,
    pub(super) preset: usize,
    /// Bytes of a value and of a partial result.
    pub(super) value_bytes: usize,
    pub(super) partial_bytes: usize,
    /// Whether wider integers may succeed if these overflow.
    pub(super) is_narrow: bool,
    /// The neutral element of (+), as a define of the kernels.
    pub(super) zero: Option<u64>,
    pub(super) defines: Vec<(&'static str, u64)>,
    pub(super) terms: Option<&'a [u8]>,
}

/// A problem with values as bytes.
pub(super) trait Coded: Sync {
    fn facts(&self) -> Facts<'_>;
    /// The plan's entries: an offset and a weight for each operand, for each instance if the
    /// weights differ; or a shift and a gain for each row.
    fn entries(&self) -> Result<Vec<[u64; 2]>>;
    /// `None` if the values need wider integers.
    fn encode(&self, values: &[i64]) -> Result<Option<Vec<u8>>>;
    fn decode(&self, elements: &Elements, range: Range<usize>, numbers: &mut Vec<i64>);
    /// [`responses`].
    fn responses(&self, most: usize) -> Option<(Vec<u8>, usize)>;
    /// [`choices::choices`].
    fn choices(&self, number: usize, table: &Elements, monitor: &Monitor) -> Result<Vec<u32>>;
}

impl<A: Algebra + ?Sized> Coded for Problem<'_, A> {
    fn facts(&self) -> Facts<'_> {
        Facts {
            instance: self.instance,
            length: self.length,
            preset: self.preset,
            value_bytes: size_of::<A::Value>(),
            partial_bytes: size_of::<A::Partial>(),
            is_narrow: self.algebra.is_narrow(),
            zero: self.zero.map(|zero| self.algebra.bits(zero)),
            defines: self.algebra.defines(),
            terms: self.terms.as_deref().map(bytemuck::cast_slice),
        }
    }

    fn entries(&self) -> Result<Vec<[u64; 2]>> {
        let (distances, weights) = match &self.operands {
            Operands::Fixed { offsets, weights } => (offsets, weights),
            Operands::Rows { shifts, gains, .. } => (shifts, gains),
        };
        let pair = |(&distance, &weight)| [distance as u64, self.algebra.bits(weight)];
        distances.iter().cycle().zip(weights).map(pair).gather()
    }

    fn encode(&self, values: &[i64]) -> Result<Option<Vec<u8>>> {
        let encoded = self.algebra.encode_all(values)?;
        encoded.map(|values| memory::copied(bytemuck::cast_slice(&values))).transpose()
    }

    fn decode(&self, elements: &Elements, range: Range<usize>, numbers: &mut Vec<i64>) {
        self.algebra.decode_all(&elements.values::<A>()[range], numbers);
    }

    fn responses(&self, most: usize) -> Option<(Vec<u8>, usize)> {
        let (values, size) = responses(self, most)?;
        Some((bytemuck::cast_slice(&values).to_vec(), size))
    }

    fn choices(&self, number: usize, table: &Elements, monitor: &Monitor) -> Result<Vec<u32>> {
        choices::choices(&self.single(number), table.values::<A>(), monitor)
    }
}
