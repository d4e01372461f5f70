use super::algebra::{Algebra, MinPlus, Modular, SumProduct};
use super::filled_tables::FilledTables;
use super::instance::Instance;
use super::plain::{Custom, MaxMin, OrAnd, Plain};
use super::semiring::Semiring;
use crate::Result;

/// An engine that runs in the integers of any algebra, as `dyn Algebra` of these types.
pub(super) trait Engine {
    /// `None` if the values need wider integers.
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<FilledTables>>;
}

/// Any algebra of these types.
type Any<V, P> = dyn Algebra<Value = V, Partial = P>;

/// Runs an engine in the narrowest integers that suffice.
pub(super) fn run(instance: &Instance, engine: &impl Engine) -> Result<FilledTables> {
    let semiring = instance.semiring();
    let plain = |algebra: &Any<i64, i64>| engine.solve(algebra);
    let found = match semiring {
        Semiring::MinPlus | Semiring::MaxPlus => {
            let narrow: &Any<i32, i32> = &MinPlus::<i32>::new(semiring);
            match engine.solve(narrow)? {
                None => plain(&MinPlus::<i64>::new(semiring)),
                found => Ok(found),
            }
        }
        Semiring::SumProduct => engine.solve::<Any<i64, i128>>(&SumProduct),
        Semiring::Modular(modulus) => engine.solve::<Any<u32, u64>>(&Modular::new(*modulus)),
        Semiring::OrAnd => plain(&Plain(OrAnd)),
        Semiring::MaxMin => plain(&Plain(MaxMin)),
        Semiring::Custom(operator) => plain(&Plain(Custom::new(operator, instance.is_weighted()))),
    };
    found?.ok_or_else(|| semiring.out_of_range())
}
