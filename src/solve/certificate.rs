//! How every solve ends.

use std::fmt;

use super::{Objective, Outcome, Report, Sense, Status};
use crate::{Error, Result};

/// What a solve has proved. Only a certificate makes an [`Outcome`].
#[derive(Debug, PartialEq)]
pub(crate) struct Certificate<V> {
    sense: Sense,
    status: Status,
    objective: Option<V>,
    bound: Option<V>,
    /// Number of lexicographic stages, of which objective and bound are the first.
    stages: u32,
}

impl<V: Objective> Certificate<V> {
    /// Certifies a solution. `claimed` is its value as the method has it, `found` the value that an
    /// evaluator independent of the method computes, and `bound` what the method proved of all
    /// solutions. The solution is optimal where `found` meets the bound.
    ///
    /// # Errors
    /// [`Error::Internal`] if the two values differ, or if the solution is better than the bound;
    /// [`Error::Overflow`] for a value that the type of objectives can't hold.
    pub(crate) fn new<N>(sense: Sense, claimed: N, found: N, bound: Option<N>) -> Result<Self>
    where
        N: Copy + PartialOrd + fmt::Debug + TryInto<V>,
    {
        if found != claimed {
            return Err(contradiction(&found, "is not the one claimed,", &claimed));
        }
        if let Some(bound) = bound.filter(|&bound| sense.prefers(found, bound)) {
            return Err(contradiction(&found, "is better than the bound", &bound));
        }
        let status = if bound == Some(found) { Status::Optimal } else { Status::Feasible };
        let objective = found.try_into().map_err(|_| Error::overflow("the objective"))?;
        // A bound beyond all objectives says nothing.
        let bound = bound.and_then(|bound| bound.try_into().ok());
        Ok(Certificate { sense, status, objective: Some(objective), bound, stages: 1 })
    }

    /// Withdraws a solution that is worse than `sought`, where the bound proves that none is better
    /// than `sought`: no solution is as good as requested.
    pub(crate) fn seeking(self, sought: Option<V>) -> Self {
        let is_refuted = |sought| {
            self.bound.is_some_and(|bound| !self.sense.prefers(bound, sought))
                && self.objective.is_some_and(|objective| self.sense.prefers(sought, objective))
        };
        match sought {
            Some(sought) if is_refuted(sought) => {
                Certificate { status: Status::Infeasible, objective: None, ..self }
            }
            _ => self,
        }
    }

    /// Says that the values are the first of several stages. The solution is optimal only if all
    /// stages are proved.
    pub(crate) fn of_stages(self, stages: u32, are_proved: bool) -> Self {
        let status = match self.status {
            Status::Optimal if !are_proved => Status::Feasible,
            status => status,
        };
        Certificate { status, stages, ..self }
    }

    /// Certifies a value that follows from the definition and was checked where it was computed.
    /// `None` is a value that its type can't hold.
    pub(crate) fn proved(sense: Sense, value: Option<V>) -> Self {
        Certificate { sense, status: Status::Optimal, objective: value, bound: value, stages: 1 }
    }

    /// Says that there is no solution.
    pub(crate) fn infeasible(sense: Sense) -> Self {
        Certificate { sense, status: Status::Infeasible, objective: None, bound: None, stages: 1 }
    }

    /// Says that a limit or a stop request came before any solution, and what was proved by then.
    pub(crate) fn stopped(sense: Sense, bound: Option<V>) -> Self {
        Certificate { sense, status: Status::Stopped, objective: None, bound, stages: 1 }
    }

    /// The outcome, with the solution if the status speaks of one. The monitor adds the trace, and
    /// [`Outcome::traced`] where none does.
    pub(crate) fn outcome<S>(self, solution: Option<S>, report: Report) -> Outcome<S, V> {
        let has_solution = matches!(self.status, Status::Optimal | Status::Feasible);
        let guarantee = self.guarantee();
        let Certificate { sense, status, objective, bound, stages } = self;
        let solution = solution.filter(|_| has_solution);
        Outcome { status, objective, bound, sense, stages, solution, report, guarantee }
    }

    /// Certifies another bound of an outcome's solution.
    pub(super) fn again<S>(outcome: Outcome<S, V>, bound: V) -> Result<Outcome<S, V>> {
        let Outcome { status, objective, sense, stages, solution, report, .. } = outcome;
        let Some(found) = objective else {
            let objective = None;
            let certificate = Certificate { sense, status, objective, bound: Some(bound), stages };
            return Ok(certificate.outcome(solution, report));
        };
        let certificate = Certificate::new(sense, found, found, Some(bound))?;
        Ok(certificate.of_stages(stages, stages == 1).outcome(solution, report))
    }

    fn guarantee(&self) -> Option<f64> {
        let (objective, bound) = (self.objective?, self.bound?);
        if objective == bound {
            return Some(1.0);
        }
        let (objective, bound) = (objective.to_f64(), bound.to_f64());
        let (small, large) = match self.sense {
            Sense::Minimise => (bound, objective),
            Sense::Maximise => (objective, bound),
        };
        (small > 0.0 && large > small).then(|| large / small)
    }
}

impl Certificate<i64> {
    /// Certifies a batch by the values of its instances, each checked where it was computed. Its
    /// objective is their sum, and `None` beyond 63 bits or if an instance has no solution.
    pub(crate) fn of_batch(sense: Sense, mut values: impl Iterator<Item = Option<u64>>) -> Self {
        let add = |sum: i64, value: Option<u64>| sum.checked_add_unsigned(value?);
        Certificate::proved(sense, values.try_fold(0, add))
    }
}

#[cold]
fn contradiction(found: &dyn fmt::Debug, what: &str, other: &dyn fmt::Debug) -> Box<Error> {
    Error::internal(format!("the solution's value {found:?} {what} {other:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    const SENSES: [Sense; 2] = [Sense::Minimise, Sense::Maximise];

    fn refusal(certificate: Result<Certificate<i64>>) -> String {
        certificate.unwrap_err().to_string()
    }

    /// Status, objective, bound, whether there is a solution, and the guarantee.
    type Summary<V> = (Status, Option<V>, Option<V>, bool, Option<f64>);

    fn summary<V: Objective>(certificate: Certificate<V>) -> Summary<V> {
        let outcome = certificate.outcome(Some(()), Report::default());
        let has_solution = outcome.solution.is_some();
        (outcome.status, outcome.objective, outcome.bound, has_solution, outcome.guarantee())
    }

    #[test]
    fn another_value_than_the_claimed_one_is_a_defect() {
        for sense in SENSES {
            for bound in [None, Some(5)] {
                let refusal = refusal(Certificate::new(sense, 5, 6, bound));
                assert_eq!(
                    refusal,
                    "internal error: the solution's value 6 is not the one claimed, 5"
                );
            }
        }
        assert!(Certificate::<f64>::new(Sense::Minimise, f64::NAN, f64::NAN, None).is_err());
    }

    #[test]
    fn a_value_beyond_the_bound_is_a_defect_in_either_sense() {
        for (sense, value, bound) in [(Sense::Minimise, 4, 5), (Sense::Maximise, 5, 4)] {
            assert_eq!(
                refusal(Certificate::new(sense, value, value, Some(bound))),
                format!(
                    "internal error: the solution's value {value} is better than the bound {bound}"
                )
            );
            assert!(Certificate::<i64>::new(sense, bound, bound, Some(value)).is_ok());
        }
    }

    #[test]
    fn a_solution_is_optimal_where_it_meets_the_bound() {
        for sense in SENSES {
            let certificate = Certificate::new(sense, 5, 5, Some(5)).unwrap();
            let expected = (Status::Optimal, Some(5), Some(5), true, Some(1.0));
            assert_eq!(summary::<i64>(certificate), expected);
            let certificate = Certificate::new(sense, 5, 5, None).unwrap();
            assert_eq!(summary::<i64>(certificate), (Status::Feasible, Some(5), None, true, None));
        }
        let certificate = Certificate::new(Sense::Minimise, 6, 6, Some(5)).unwrap();
        let expected = (Status::Feasible, Some(6), Some(5), true, Some(1.2));
        assert_eq!(summary::<i64>(certificate), expected);
    }

    #[test]
    fn values_beyond_63_bits_are_no_objectives() {
        let certificate = |sense, value: u64, bound| {
            Certificate::<i64>::new(sense, value, value, Some(bound)).map(summary)
        };
        let refused = certificate(Sense::Minimise, 1 << 63, 5).unwrap_err();
        assert!(matches!(*refused, Error::Overflow { .. }));
        let found = certificate(Sense::Maximise, 5, 1 << 63).unwrap();
        assert_eq!(found, (Status::Feasible, Some(5), None, true, None));
    }

    #[test]
    fn an_outcome_without_a_trace_has_its_values_in_one() {
        let report = Report { seconds: 0.5, setup_seconds: 1.0, ..Report::default() };
        let certificate = Certificate::<i64>::new(Sense::Maximise, 5, 5, Some(6)).unwrap();
        let outcome = certificate.outcome(Some(()), report).traced();
        assert_eq!((outcome.sense, outcome.stages), (Sense::Maximise, 1));
        let last = outcome.report.trace.last().unwrap();
        assert_eq!((last.seconds, last.objective), (1.5, Some(Value::Whole(5))));
        assert_eq!(last.bound, Some(Value::Whole(6)));
        assert_eq!(outcome.traced().report.trace.len(), 1);
    }

    #[test]
    fn a_bound_from_elsewhere_counts_if_it_is_better() {
        let outcome = |bound, stages| {
            let certificate = Certificate::<i64>::new(Sense::Minimise, 7, 7, Some(bound)).unwrap();
            certificate.of_stages(stages, false).outcome(Some(()), Report::default())
        };
        for (bound, stages, status, expected) in [
            (4, 1, Status::Feasible, 5),
            (6, 1, Status::Feasible, 6),
            (7, 1, Status::Optimal, 7),
            (7, 2, Status::Feasible, 7),
        ] {
            let found = outcome(5, stages).with_bound(bound).unwrap();
            assert_eq!((found.status, found.bound), (status, Some(expected)), "{bound}");
            assert_eq!(found.guarantee(), Some(7.0 / expected as f64));
        }
        assert!(outcome(5, 1).with_bound(8).is_err());
        let none = Certificate::<i64>::stopped(Sense::Maximise, None)
            .outcome(None::<()>, Report::default());
        let bounded = none.with_bound(3).unwrap();
        assert_eq!((bounded.status, bounded.bound), (Status::Stopped, Some(3)));
    }

    #[test]
    fn a_solution_is_withdrawn_where_it_is_worse_than_what_the_bound_excludes() {
        let with = |sense, value: i64, bound, sought| {
            summary(Certificate::new(sense, value, value, Some(bound)).unwrap().seeking(sought)).0
        };
        for (sought, status) in [
            (None, Status::Feasible),
            (Some(4), Status::Infeasible),
            (Some(5), Status::Infeasible),
            // A better one may exist.
            (Some(6), Status::Feasible),
            (Some(7), Status::Feasible),
        ] {
            assert_eq!(with(Sense::Minimise, 7, 5, sought), status, "{sought:?}");
            let sought = sought.map(|sought| 12 - sought);
            assert_eq!(with(Sense::Maximise, 5, 7, sought), status, "{sought:?}");
        }
        // One that is just as good counts.
        assert_eq!(with(Sense::Minimise, 5, 5, Some(5)), Status::Optimal);
        let withdrawn = Certificate::new(Sense::Minimise, 7, 7, Some(5)).unwrap().seeking(Some(5));
        assert_eq!(summary::<i64>(withdrawn), (Status::Infeasible, None, Some(5), false, None));
    }

    #[test]
    fn without_a_solution_there_is_none() {
        let certificates = [
            (Certificate::infeasible(Sense::Minimise), Status::Infeasible, None),
            (Certificate::stopped(Sense::Maximise, None), Status::Stopped, None),
            (Certificate::stopped(Sense::Minimise, Some(7.5)), Status::Stopped, Some(7.5)),
        ];
        for (certificate, status, bound) in certificates {
            assert_eq!(summary(certificate), (status, None, bound, false, None));
        }
    }

    #[test]
    fn a_batch_is_worth_the_sum_of_its_values() {
        let of = |values: &[Option<u64>]| {
            summary(Certificate::of_batch(Sense::Maximise, values.iter().copied()))
        };
        let proved = |value: Option<i64>| (Status::Optimal, value, value, true, value.map(|_| 1.0));
        assert_eq!(of(&[]), proved(Some(0)));
        assert_eq!(of(&[Some(3), Some(4)]), proved(Some(7)));
        assert_eq!(of(&[Some(3), None]), proved(None));
        assert_eq!(of(&[Some(i64::MAX as u64)]), proved(Some(i64::MAX)));
        assert_eq!(of(&[Some(i64::MAX as u64), Some(1)]), proved(None));
        assert_eq!(of(&[Some(u64::MAX)]), proved(None));
    }

    #[test]
    fn costs_and_profits_have_a_guarantee() {
        let guarantee = |sense, value: f64, bound| {
            summary(Certificate::<f64>::new(sense, value, value, Some(bound)).unwrap()).4
        };
        assert_eq!(guarantee(Sense::Minimise, 2.5, 2.0), Some(1.25));
        assert_eq!(guarantee(Sense::Maximise, 5.0, 6.0), Some(1.2));
        // Without positive values, only an optimum has one.
        assert_eq!(guarantee(Sense::Minimise, 6.0, 0.0), None);
        assert_eq!(guarantee(Sense::Minimise, 6.0, -5.0), None);
        assert_eq!(guarantee(Sense::Minimise, 1.0, f64::NAN), None);
        assert_eq!(guarantee(Sense::Minimise, 0.0, 0.0), Some(1.0));
        assert_eq!(guarantee(Sense::Maximise, -3.0, -3.0), Some(1.0));
    }
}
