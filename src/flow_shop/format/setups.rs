//! Files with set-ups: the sizes, a line of times for each job, a matrix of set-ups for each
//! machine.

use super::headed::Headed;
use crate::Result;
use crate::flow_shop::{Instance, Setups};

/// Numbers after the sizes.
pub(super) fn count(jobs: u128, machines: u128) -> Option<u128> {
    jobs.checked_mul(machines)?.checked_mul(jobs.checked_add(1)?)
}

/// Whether a faulty file was probably meant to be one with set-ups: it begins with a line of times,
/// and has more lines than jobs.
pub(super) fn resembles(file: &Headed<'_>) -> bool {
    let Some(first) = file.rows.first() else { return false };
    let lines = file.rows.len() as u64;
    let begins_with_times = first.numbers.len() as u64 == file.machines;
    begins_with_times && (file.on_two_lines || lines > file.jobs.max(file.machines) + 1)
}

pub(super) fn read(file: &Headed<'_>) -> Result<Instance> {
    let (jobs, machines) = (file.jobs, file.machines);
    let mut cursor = file.cursor();
    let (mut times, mut setups) = (Vec::new(), Vec::new());
    for job in 0..jobs {
        cursor.times(machines, || format!("the times of job {job}"), &mut times)?;
    }
    for machine in 0..machines {
        for job in 0..jobs {
            let what = || format!("the set-ups of machine {machine} after job {job}");
            cursor.times(jobs, what, &mut setups)?;
        }
    }
    cursor.finish()?;
    // All of them were there, so the sizes fit.
    let (jobs, machines) = (jobs as usize, machines as usize);
    Instance::new(jobs, machines, times)?.with_setups(Setups::between_jobs(jobs, setups)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::{Format, testing};

    /// The text of an instance with a matrix for each machine.
    fn written(instance: &Instance, on_two_lines: bool) -> String {
        let between = if on_two_lines { "\n" } else { " " };
        let (jobs, machines) = (instance.jobs(), instance.machines());
        let row = |row: &[u32]| {
            let words: Vec<_> = row.iter().map(ToString::to_string).collect();
            format!("{}\n", words.join(" "))
        };
        let times = instance.times().chunks(machines).map(row);
        let setups = instance.setups().unwrap().times().chunks(jobs).map(row);
        format!("{jobs}{between}{machines}\n{}", times.chain(setups).collect::<String>())
    }

    fn instances() -> impl Strategy<Value = Instance> {
        testing::instances(6, 4).prop_flat_map(|plain| {
            let (jobs, machines) = (plain.jobs(), plain.machines());
            prop::collection::vec(0..99u32, jobs * jobs * machines).prop_map(move |setups| {
                let times = plain.times().to_vec();
                let instance = Instance::new(jobs, machines, times).unwrap();
                instance.with_setups(Setups::between_jobs(jobs, setups).unwrap()).unwrap()
            })
        })
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(instance in instances(), on_two_lines: bool) {
            let text = written(&instance, on_two_lines);
            prop_assert_eq!(&Instance::parse_as(&text, Format::Setups).unwrap(), &instance);
            // Lines of the same length are a matrix.
            let is_matrix = match (instance.jobs(), instance.machines()) {
                (1, _) => true,
                (2, 2) => !on_two_lines,
                _ => false,
            };
            if !is_matrix {
                prop_assert_eq!(&Instance::parse(&text).unwrap(), &instance);
            }
        }
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            (
                "2\n2\n1 2\n3 4\n0 1\n2 0\n0 3\n",
                "line 7: the file ends where the set-ups of machine 1 after job 1 are expected",
            ),
            (
                "2\n2\n1 2\n3 4\n0 1 2\n2 0\n0 3\n4 0\n",
                "line 5: 3 numbers, where the set-ups of machine 0 after job 0 are expected: 2",
            ),
            (
                "2\n2\n1 2\n3 4\n0 1\n2 0\n0 3\n4 0\n5 6\n",
                "line 9: the file should end before this line",
            ),
            (
                "2\n3\n1 2 3\n3 4\n0 1\n2 0\n0 3\n4 0\n",
                "line 4: 2 numbers, where the times of job 1 are expected: 3",
            ),
            ("2\n1\n1\n3\n0 -1\n2 0\n", "line 5: number 2 of the line: -1 is negative"),
            (
                "2\n1\n1\n3\n0 4294967296\n2 0\n",
                "line 5: the time 4294967296 does not fit into 32 bits",
            ),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
        let long = Instance::parse("2\n1\n1\n3\n0 4294967295\n2 0\n").unwrap_err().to_string();
        assert!(long.starts_with("setups: schedules might last 85899345"), "{long}");
    }
}
