use std::cmp::Ordering;
use std::fmt;
use std::num::TryFromIntError;

use super::Sense;

/// An objective or a bound. All values of one solve are of the same kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(i64),
    /// A real number, of problems with real numbers.
    Real(f64),
}

impl Value {
    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::Whole(value) => value as f64,
            Value::Real(value) => value,
        }
    }

    pub(crate) fn whole(self) -> Option<i64> {
        match self {
            Value::Whole(value) => Some(value),
            Value::Real(_) => None,
        }
    }

    /// The number that `map` returns for a whole one.
    pub(crate) fn map_whole(self, map: impl FnOnce(i64) -> Option<i64>) -> Option<Value> {
        self.whole().and_then(map).map(Value::Whole)
    }
}

/// Values of different kinds have no order.
impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Value::Whole(a), Value::Whole(b)) => Some(a.cmp(b)),
            (Value::Real(a), Value::Real(b)) => a.partial_cmp(b),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(value) => value.fmt(f),
            Value::Real(value) => value.fmt(f),
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Whole(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Value::Whole(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Real(value)
    }
}

impl TryFrom<u64> for Value {
    type Error = TryFromIntError;

    fn try_from(value: u64) -> Result<Self, TryFromIntError> {
        value.try_into().map(Value::Whole)
    }
}

/// The best objective and the best bound that are known at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Values {
    pub(crate) objective: Option<Value>,
    pub(crate) bound: Option<Value>,
}

impl Values {
    /// The better objective and the better bound of the two.
    pub(super) fn best(self, other: Values, sense: Sense) -> Values {
        let better = |sense: Sense, known: Option<Value>, new: Option<Value>| match (known, new) {
            (Some(known), Some(new)) if !sense.prefers(new, known) => Some(known),
            (known, new) => new.or(known),
        };
        Values {
            objective: better(sense, self.objective, other.objective),
            bound: better(sense.reversed(), self.bound, other.bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_any_type_become_values_if_they_fit() {
        assert_eq!(Value::from(-3i64), Value::Whole(-3));
        assert_eq!(Value::from(u32::MAX), Value::Whole(4_294_967_295));
        assert_eq!(Value::try_from(i64::MAX as u64).unwrap(), Value::Whole(i64::MAX));
        assert!(Value::try_from(i64::MAX as u64 + 1).is_err());
    }

    #[test]
    fn values_of_one_kind_are_ordered() {
        assert!(Value::Whole(i64::MAX - 1) < Value::Whole(i64::MAX), "not as doubles");
        assert!(Value::Real(0.5) > Value::Real(-0.5));
        assert_eq!(Value::Whole(1).partial_cmp(&Value::Real(2.0)), None);
    }

    #[test]
    fn the_best_values_depend_on_the_sense() {
        let values = |objective: Option<i64>, bound: Option<i64>| Values {
            objective: objective.map(Value::Whole),
            bound: bound.map(Value::Whole),
        };
        let (a, b) = (values(Some(-7), Some(-9)), values(Some(-5), Some(-8)));
        assert_eq!(a.best(b, Sense::Minimise), values(Some(-7), Some(-8)));
        assert_eq!(a.best(b, Sense::Maximise), values(Some(-5), Some(-9)));
        assert_eq!(a.best(Values::default(), Sense::Minimise), a);
        assert_eq!(Values::default().best(a, Sense::Minimise), a);
    }
}
