//! Files with due dates: the sizes, the due dates, a line of times for each job.

use super::headed::{Cursor, Headed};
use super::rows::fault;
use crate::Result;
use crate::flow_shop::{Criterion, Instance};
use crate::memory::Grow;

/// Numbers after the sizes.
pub(super) fn count(jobs: u128, machines: u128) -> Option<u128> {
    jobs.checked_mul(machines.checked_add(1)?)
}

/// Whether a faulty file was probably meant to be one with due dates: it begins with a line of a
/// number for each job, then one for each machine, and has more lines than other formats.
pub(super) fn resembles(file: &Headed<'_>) -> bool {
    let [first, second, ..] = file.rows else { return false };
    let (first, second) = (first.numbers.len() as u64, second.numbers.len() as u64);
    let has_more = file.on_two_lines || file.rows.len() as u64 > file.jobs.max(file.machines);
    first == file.jobs && second == file.machines && has_more
}

pub(super) fn read(file: &Headed<'_>) -> Result<Instance> {
    let (jobs, machines) = (file.jobs, file.machines);
    let mut cursor = file.cursor();
    let due_dates = dates(jobs, &mut cursor)?;
    let mut times = Vec::new();
    for job in 0..jobs {
        cursor.times(machines, || format!("the times of job {job}"), &mut times)?;
    }
    cursor.finish()?;
    // All of them were there, so the sizes fit.
    let instance = Instance::new(jobs as usize, machines as usize, times)?;
    instance.with_due_dates(due_dates)?.with_objective(Criterion::TotalTardiness.into())
}

/// The due dates, on one line or more.
fn dates(jobs: u64, cursor: &mut Cursor<'_>) -> Result<Vec<i64>> {
    let mut dates = Vec::new();
    loop {
        let row = cursor.next(|| format!("{jobs} due dates"))?;
        for &number in &row.numbers {
            let beyond = |_| fault(row.line, format!("the due date {number} is 2^63 or more"));
            dates.try_push(i64::try_from(number).map_err(beyond)?)?;
        }
        let given = dates.len() as u64;
        if given > jobs {
            return Err(fault(row.line, format!("{given} due dates for {jobs} jobs")));
        }
        if given == jobs {
            return Ok(dates);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::{Format, testing};

    fn instances() -> impl Strategy<Value = Instance> {
        testing::instances(6, 4).prop_flat_map(|plain| {
            let (jobs, machines) = (plain.jobs(), plain.machines());
            prop::collection::vec(0..1i64 << 40, jobs).prop_map(move |dates| {
                let times = plain.times().to_vec();
                let instance = Instance::new(jobs, machines, times).unwrap();
                let instance = instance.with_due_dates(dates).unwrap();
                instance.with_objective(Criterion::TotalTardiness.into()).unwrap()
            })
        })
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            instance in instances(),
            on_two_lines: bool,
            dates_of_a_line in 1..7usize,
        ) {
            let between = if on_two_lines { "\n" } else { " " };
            let (jobs, machines) = (instance.jobs(), instance.machines());
            let line = |words: Vec<String>| format!("{}\n", words.join(" "));
            let dates = instance.due_dates().chunks(dates_of_a_line);
            let dates = dates.map(|row| line(row.iter().map(ToString::to_string).collect()));
            let times = instance.times().chunks(machines);
            let times = times.map(|row| line(row.iter().map(ToString::to_string).collect()));
            let body: String = dates.chain(times).collect();
            let text = format!("{jobs}{between}{machines}\n{body}");
            prop_assert_eq!(&Instance::parse_as(&text, Format::DueDates).unwrap(), &instance);
            // Another format comes first where all lines have as many numbers as there, and with a
            // single job and machine.
            let usual = jobs > 1 && jobs != machines && dates_of_a_line >= jobs;
            if usual && (machines > 1 || !on_two_lines) {
                prop_assert_eq!(&Instance::parse(&text).unwrap(), &instance);
            }
        }
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            (
                "3\n2\n9 8 7\n1 2\n3 4\n",
                "line 5: the file ends where the times of job 2 are expected",
            ),
            (
                "3 2\n9 8 7\n1 2\n3 4\n5 6 7\n",
                "line 5: 3 numbers, where the times of job 2 are expected: 2",
            ),
            ("3\n2\n9 8\n7 6\n1 2\n3 4\n5\n", "line 4: 4 due dates for 3 jobs"),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
        let late = "2\n1\n9 9007199254740993\n1\n2\n";
        let late = Instance::parse_as(late, Format::DueDates).unwrap_err().to_string();
        assert_eq!(late, "due_dates[1]: beyond 9007199254740992");
    }
}
