use std::fmt;
use std::sync::Arc;

use crate::opencl::check_functions;
use crate::solve::Sense;
use crate::{Error, Result};

/// Largest absolute value of finite values and weights in (min,+) and (max,+). Below it no sum of a
/// value and a weight can wrap around or be confused with the unreachable value.
pub const FINITE_LIMIT: i64 = 1 << 59;
/// The same limit in words.
pub(super) const FINITE_RANGE: &str = "the range from -2^59 to 2^59";
/// Largest modulus: a product of two residues and a sum of products stay within 64 bits.
pub const MODULUS_LIMIT: u64 = 1 << 31;

/// The meaning of (+) and (*) in ST\[i\] = (+)_j (w_j (*) ST\[i - a_j\]). All semirings have 64-bit
/// integer values.
///
/// There is no floating-point arithmetic: engines add in different orders and would give different
/// results. Use scaled integers instead.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Semiring {
    /// (min,+): cheapest sums. `i64::MAX` means unreachable. The absolute values of all other
    /// values and weights are at most [`FINITE_LIMIT`]; a larger one is an overflow.
    MinPlus,
    /// (max,+): largest sums. `i64::MIN` means unreachable; limits as for [`Semiring::MinPlus`].
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
    /// A caller's operator.
    Custom(Operator),
}

/// A function of two arguments. It is called from several threads at once.
pub type Callback = Arc<dyn Fn(i64, i64) -> i64 + Send + Sync>;

/// A caller's associative operator: OpenCL C for devices, functions for the CPU. The caller must
/// ensure that both compute the same, are associative and do not wrap around.
///
/// All elements of a small table and some of a large one are computed again, operand after operand
/// as defined, by the callback or, without one, by a separate kernel on the device. A difference is
/// an [`Error::InvalidArgument`]: either the operator is not associative, or its source and its
/// callback differ. Only [`Method::Tournament`](super::Method::Tournament) and
/// [`Method::SlidingWindow`](super::Method::SlidingWindow) depend on associativity, and
/// [`Method::Auto`](super::Method::Auto) may choose the latter. All other methods take the operands
/// in the order of the definition.
#[derive(Clone, Default)]
pub struct Operator {
    /// OpenCL C 1.2 that defines `long combine(long left, long right)` and, if the instance has
    /// weights, `long weigh(long weight, long value)`. Without it the instance cannot run on a
    /// device. The names of all other definitions must begin with `user_`, because the source is
    /// compiled in one text with the kernels. Preprocessor lines and unmatched brackets are
    /// refused.
    ///
    /// The source is code that runs with the program's rights: accept none from people whom you
    /// would not let write the program.
    pub source: Option<String>,
    /// `combine` on the CPU. Without it the instance runs only on devices.
    pub combine: Option<Callback>,
    /// `weigh` on the CPU.
    pub weigh: Option<Callback>,
    /// Promises that `combine(x, x) == x`, so that the solver checks whether the table ends in a
    /// period. The result does not depend on the promise.
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

    /// The neutral element of (+), the value of an element without contributions; `None` for a
    /// custom operator.
    pub fn zero(&self) -> Option<i64> {
        match self {
            Semiring::MinPlus => Some(i64::MAX),
            Semiring::MaxPlus | Semiring::MaxMin => Some(i64::MIN),
            Semiring::SumProduct | Semiring::Modular(_) | Semiring::OrAnd => Some(0),
            Semiring::Custom(_) => None,
        }
    }

    /// The neutral element of (*), the weight in an instance without weights; `None` for a custom
    /// operator.
    pub fn one(&self) -> Option<i64> {
        match self {
            Semiring::MinPlus | Semiring::MaxPlus => Some(0),
            Semiring::SumProduct | Semiring::Modular(_) => Some(1),
            Semiring::OrAnd => Some(-1),
            Semiring::MaxMin => Some(i64::MAX),
            Semiring::Custom(_) => None,
        }
    }

    /// Which values are better. If there is nothing to choose from, either will do.
    pub(super) fn sense(&self) -> Sense {
        match self {
            Semiring::MaxPlus | Semiring::MaxMin => Sense::Maximise,
            Semiring::MinPlus
            | Semiring::SumProduct
            | Semiring::Modular(_)
            | Semiring::OrAnd
            | Semiring::Custom(_) => Sense::Minimise,
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

    /// Whether (*) distributes over (+) and is commutative; a custom operator does not promise
    /// that.
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

    /// The error for an element out of the semiring's range.
    pub(super) fn out_of_range(&self) -> Box<Error> {
        let what = "an element of the recurrence";
        match self {
            Semiring::MinPlus | Semiring::MaxPlus => {
                Box::new(Error::Overflow { what, range: FINITE_RANGE })
            }
            _ => Error::overflow(what),
        }
    }

    /// Checks an initial value or a term; the error says what is wrong.
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

    /// Checks a weight; the error says what is wrong. An unreachable weight would only be a missing
    /// offset.
    pub(super) fn check_weight(&self, weight: i64) -> Result<(), String> {
        match self {
            Semiring::MinPlus | Semiring::MaxPlus if Some(weight) == self.zero() => {
                Err("is unreachable; leave the offset out".into())
            }
            _ => self.check_value(weight),
        }
    }
}
