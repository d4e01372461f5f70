use std::fmt;
use std::sync::Arc;

use crate::opencl::check_functions;
use crate::{Error, Result};

/// Largest finite value and weight, by absolute value, of (min,+) and (max,+): below it no sum of a
/// value and a weight can wrap around or be mistaken for the unreachable value.
pub const FINITE_LIMIT: i64 = 1 << 59;
/// The same in words.
pub(super) const FINITE_RANGE: &str = "the range from -2^59 to 2^59";
/// Largest modulus: a product of two residues and a sum of products stay within 64 bits.
pub const MODULUS_LIMIT: u64 = 1 << 31;

/// What (+) and (*) stand for in ST\[i\] = (+)_j (w_j (*) ST\[i - a_j\]). Values are 64-bit
/// integers in all of them.
///
/// There is no floating-point arithmetic: an order of additions that differs between engines would
/// give different results. Scaled integers serve in its place.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Semiring {
    /// (min,+): cheapest sums. `i64::MAX` stands for unreachable; all other values and weights are
    /// at most [`FINITE_LIMIT`] by absolute value, else it is an overflow.
    MinPlus,
    /// (max,+): largest sums.
    /// `i64::MIN` stands for unreachable; limits as for [`Semiring::MinPlus`].
    MaxPlus,
    /// (+,*) over the integers, exact: an element beyond 64 bits is an overflow. The sum of the
    /// absolute weights must be below 2^63.
    SumProduct,
    /// (+,*) modulo a number from 2 to [`MODULUS_LIMIT`], for counting. Values and weights are
    /// residues.
    Modular(u64),
    /// (or,and) on all 64 bits of a value at once: 64 reachability problems in parallel, or one of
    /// them in bit 0.
    OrAnd,
    /// (max,min): widest bottlenecks.
    MaxMin,
    /// An operator of the caller's.
    Custom(Operator),
}

/// Two arguments to one value. Called from several threads at once.
pub type Callback = Arc<dyn Fn(i64, i64) -> i64 + Send + Sync>;

/// An associative operator of the caller's, for devices as a piece of OpenCL C and for the CPU as
/// functions. Both must compute the same; that they are associative and do not wrap around is the
/// caller's to see to.
///
/// All elements of a small table and some of a large one are computed anew, operand after operand
/// as the definition says, by the callback or, without one, by a kernel of its own on the device.
/// An element that differs is an [`Error::InvalidArgument`]: then the operator is not associative,
/// or its source and its callback are not the same. Only
/// [`Method::Tournament`](super::Method::Tournament) and [`Method::SlidingWindow`](super::Method::SlidingWindow),
/// which [`Method::Auto`](super::Method::Auto) may choose, depend on associativity; all others take
/// the operands in the order of the definition.
#[derive(Clone, Default)]
pub struct Operator {
    /// OpenCL C 1.2 that defines `long combine(long left, long right)` and, if the instance has
    /// weights, `long weigh(long weight, long value)`. It is code that runs with the rights of the
    /// program: take none from people whom you would not let write the program. It is compiled
    /// before the kernels, in one text with them: all else that it defines has a name that begins
    /// with `user_`. Preprocessor lines, and brackets that do not match, are refused. Without it
    /// there is no device for the instance.
    pub source: Option<String>,
    /// `combine` on the CPU. Without it the instance is for devices alone.
    pub combine: Option<Callback>,
    /// `weigh` on the CPU.
    pub weigh: Option<Callback>,
    /// Promises that `combine(x, x) == x`, so that it is worth looking whether the table ends in a
    /// period. What is found does not depend on the promise.
    pub idempotent: bool,
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator")
            .field("source", &self.source)
            .field("combine", &self.combine.is_some())
            .field("weigh", &self.weigh.is_some())
            .field("idempotent", &self.idempotent)
            .finish()
    }
}

impl Semiring {
    /// The name in the command's spelling.
    pub fn name(&self) -> &'static str {
        match self {
            Semiring::MinPlus => "min-plus",
            Semiring::MaxPlus => "max-plus",
            Semiring::SumProduct => "sum-product",
            Semiring::Modular(_) => "modular",
            Semiring::OrAnd => "or-and",
            Semiring::MaxMin => "max-min",
            Semiring::Custom(_) => "custom",
        }
    }

    /// The neutral element of (+), the value of an element that nothing contributes to; a custom
    /// operator has none.
    pub fn zero(&self) -> Option<i64> {
        match self {
            Semiring::MinPlus => Some(i64::MAX),
            Semiring::MaxPlus | Semiring::MaxMin => Some(i64::MIN),
            Semiring::SumProduct | Semiring::Modular(_) | Semiring::OrAnd => Some(0),
            Semiring::Custom(_) => None,
        }
    }

    /// The neutral element of (*), the weight of an instance without weights; a custom operator has
    /// none.
    pub fn one(&self) -> Option<i64> {
        match self {
            Semiring::MinPlus | Semiring::MaxPlus => Some(0),
            Semiring::SumProduct | Semiring::Modular(_) => Some(1),
            Semiring::OrAnd => Some(-1),
            Semiring::MaxMin => Some(i64::MAX),
            Semiring::Custom(_) => None,
        }
    }

    /// Whether x (+) x = x.
    pub(super) fn is_idempotent(&self) -> bool {
        match self {
            Semiring::MinPlus | Semiring::MaxPlus | Semiring::OrAnd | Semiring::MaxMin => true,
            Semiring::SumProduct | Semiring::Modular(_) => false,
            Semiring::Custom(operator) => operator.idempotent,
        }
    }

    /// Whether (+) returns one of its operands, so that an element has a choice.
    pub(super) fn selects(&self) -> bool {
        matches!(self, Semiring::MinPlus | Semiring::MaxPlus | Semiring::MaxMin)
    }

    /// Whether (*) distributes over (+) and commutes, which a custom operator does not promise.
    pub(super) fn is_semiring(&self) -> bool {
        !matches!(self, Semiring::Custom(_))
    }

    /// Whether only a device can compute it.
    pub(super) fn is_for_devices(&self) -> bool {
        matches!(self, Semiring::Custom(operator) if operator.combine.is_none())
    }

    pub(super) fn check(&self) -> Result<()> {
        match self {
            Semiring::Modular(modulus) if !(2..=MODULUS_LIMIT).contains(modulus) => Err(
                Error::argument("modulus", format!("is {modulus}, not from 2 to {MODULUS_LIMIT}")),
            ),
            Semiring::Custom(Operator { source: None, combine: None, .. }) => {
                Err(Error::argument("operator", "has neither a source nor a callback"))
            }
            Semiring::Custom(Operator { source: Some(source), .. }) => check_functions(source)
                .map_err(|fault| Error::argument("operator_source", fault.to_string())),
            _ => Ok(()),
        }
    }

    /// An element has no value in the semiring's range.
    pub(super) fn out_of_range(&self) -> Box<Error> {
        let what = "an element of the recurrence";
        match self {
            Semiring::MinPlus | Semiring::MaxPlus => {
                Box::new(Error::Overflow { what, range: FINITE_RANGE })
            }
            _ => Error::overflow(what),
        }
    }

    /// What is wrong with a value, an initial one or a term.
    pub(super) fn check_value(&self, value: i64) -> Result<(), String> {
        match self {
            Semiring::MinPlus | Semiring::MaxPlus if Some(value) == self.zero() => Ok(()),
            Semiring::MinPlus | Semiring::MaxPlus if value.unsigned_abs() > FINITE_LIMIT as u64 => {
                Err(format!("is {value}, beyond 2^59 by absolute value"))
            }
            Semiring::Modular(modulus)
                if u64::try_from(value).map_or(true, |value| value >= *modulus) =>
            {
                Err(format!("is {value}, not from 0 to {}", modulus - 1))
            }
            _ => Ok(()),
        }
    }

    /// What is wrong with a weight. An unreachable weight would only be a missing offset.
    pub(super) fn check_weight(&self, weight: i64) -> Result<(), String> {
        match self {
            Semiring::MinPlus | Semiring::MaxPlus if Some(weight) == self.zero() => {
                Err("is unreachable; leave the offset out".into())
            }
            _ => self.check_value(weight),
        }
    }
}
