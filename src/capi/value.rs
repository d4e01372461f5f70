//! Objectives and bounds.

use crate::Value;

/// Whether lower or higher objectives are better.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_sense {
    /// Lower ones, such as costs. Also set if neither is better, as in recurrences that count.
    Minimise = 0,
    /// Higher ones, such as profits.
    Maximise = 1,
}

/// A value in the form of the structs' fields.
pub(super) struct Fields {
    /// 1 if there is a value, else 0.
    pub(super) has: i32,
    /// 0 if it is not whole.
    pub(super) whole: i64,
    /// NaN if there is none.
    pub(super) real: f64,
}

impl From<Option<Value>> for Fields {
    fn from(value: Option<Value>) -> Self {
        let whole = match value {
            Some(Value::Whole(value)) => value,
            _ => 0,
        };
        Fields { has: value.is_some().into(), whole, real: value.map_or(f64::NAN, Value::to_f64) }
    }
}

/// 1 if the values of a solve are real numbers, else 0.
pub(super) fn is_real(objective: Option<Value>, bound: Option<Value>) -> i32 {
    matches!(objective.or(bound), Some(Value::Real(_))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_value_is_there() {
        let read = |value: Option<Value>| {
            let Fields { has, whole, real } = value.into();
            (has, whole, real)
        };
        assert_eq!(read(Some(Value::Whole(-7))), (1, -7, -7.0));
        assert_eq!(read(Some(Value::Real(0.5))), (1, 0, 0.5));
        let (has, whole, real) = read(None);
        assert!(has == 0 && whole == 0 && real.is_nan());
        assert_eq!(is_real(None, Some(Value::Real(0.5))), 1);
        assert_eq!(is_real(Some(Value::Whole(1)), None) + is_real(None, None), 0);
    }
}
