//! Split costs as expressions in OpenCL C, which only a device can compute.

use makespan::interval_dp::{
    AnyInstance, CellCost, Expression, Instance, Kind, Number, Semiring, SplitCost,
};

use super::source::Source;
use crate::failure::Failure;
use crate::options::Common;

/// The split cost of custom problems
#[derive(clap::Args)]
#[command(next_help_heading = "Expressions (custom)")]
pub(super) struct ExpressionArguments {
    /// Cost of the split (i, k, j): OpenCL C of i, k, j and points (uint) and data[...] (the
    /// instance's numbers, one per point, of the cells' type VALUE), such as "data[i] * data[k] *
    /// data[j]". For whole numbers, fractions of its value are cut off. It runs as code: take none
    /// from strangers
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    expression: Option<String>,
    /// Bound on the magnitude of the expression's values; it decides which cells cannot overflow
    #[arg(long, value_name = "BOUND")]
    magnitude: Option<f64>,
    /// Find the largest sum instead of the least
    #[arg(long)]
    maximise: bool,
}

impl ExpressionArguments {
    /// Refuses these options for problems with fixed costs.
    pub(super) fn check_unused(&self) -> Result<(), Failure> {
        match self.expression.is_some() || self.magnitude.is_some() || self.maximise {
            true => Err(Failure::usage(
                "--expression, --magnitude and --maximise are for custom problems",
            )),
            false => Ok(()),
        }
    }

    /// The instance with the source's data, which are in the format of a matrix chain; `None` if
    /// the source returns none.
    pub(super) fn instance(
        &self,
        source: &Source,
        common: &Common,
    ) -> Result<Option<AnyInstance>, Failure> {
        let (Some(expression), Some(magnitude)) = (&self.expression, self.magnitude) else {
            return Err(Failure::usage("custom needs --expression and --magnitude"));
        };
        let Some(data) = source.instance(Kind::MatrixChain, common)? else { return Ok(None) };
        Ok(Some(match data {
            AnyInstance::Whole(data) => {
                // Beyond the range it is refused as too large, not cut.
                AnyInstance::Whole(self.custom(expression, magnitude.ceil() as i64, &data)?)
            }
            AnyInstance::Real(data) => {
                AnyInstance::Real(self.custom(expression, magnitude, &data)?)
            }
        }))
    }

    fn custom<V: Number>(
        &self,
        expression: &str,
        magnitude: V,
        data: &Instance<V>,
    ) -> Result<Instance<V>, Failure> {
        let SplitCost::Product { left: numbers, .. } = data.split_cost() else {
            return Err(Failure::other("a matrix chain without dimensions"));
        };
        let semiring = if self.maximise { Semiring::MaxPlus } else { Semiring::MinPlus };
        let (source, data) = (Some(expression.to_owned()), numbers.clone());
        let split_cost =
            SplitCost::Expression(Expression { function: None, magnitude, source, data });
        let leaves = vec![V::default(); numbers.len() - 1];
        Ok(Instance::custom(semiring, leaves, CellCost::None, split_cost)?)
    }
}
