//! Self-tests compare a program with the CPU before its first use.

use std::fmt::{self, Debug};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::device::Device;
use super::program::Program;
#[cfg(test)]
use super::recipe::UserText;
use crate::Error;

/// Runs kernels of a program on known cases, with the group sizes of solves, and compares the
/// results with the CPU.
pub(crate) type SelfTest = fn(&Trial<'_>) -> Result<(), Failing>;

/// The self-test of a family that is not tested.
#[cfg(test)]
pub(crate) const UNTESTED: SelfTest = |_| Ok(());

/// Why a program can't be used.
#[derive(Debug)]
pub(crate) enum Failing {
    /// Its results differ from the CPU's; the text says how.
    Wrong(String),
    /// The test was not completed, which says nothing about the kernels.
    Error(Box<Error>),
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failing::Wrong(reason) => write!(f, "wrong results: {reason}"),
            Failing::Error(error) => write!(f, "{error}"),
        }
    }
}

impl From<Box<Error>> for Failing {
    fn from(error: Box<Error>) -> Self {
        match *error {
            // The kernel's results made a check in the host's code fail.
            Error::Internal(reason) | Error::DeviceWrong(reason) => Failing::Wrong(reason),
            other => Failing::Error(Box::new(other)),
        }
    }
}

/// Compares the kernels' results with the CPU's.
pub(crate) fn agree<T: PartialEq + Debug>(
    what: &str,
    found: &[T],
    expected: &[T],
) -> Result<(), Failing> {
    let differs = found.iter().zip(expected).position(|(found, expected)| found != expected);
    let reason = match differs {
        Some(at) => format!("{what}: number {at} is {:?}, not {:?}", found[at], expected[at]),
        None if found.len() != expected.len() => {
            format!("{what}: {} numbers, not {}", found.len(), expected.len())
        }
        None => return Ok(()),
    };
    Err(Failing::Wrong(reason))
}

/// The environment of a self-test.
pub(crate) struct Trial<'t> {
    device: &'t Device,
    program: &'t Arc<Program>,
}

impl<'t> Trial<'t> {
    pub(super) fn new(device: &'t Device, program: &'t Arc<Program>) -> Self {
        Trial { device, program }
    }

    /// Runs the test. Results that make the host's code panic count as wrong.
    pub(super) fn run(&self, self_test: SelfTest) -> Result<(), Failing> {
        catch_unwind(AssertUnwindSafe(|| self_test(self))).unwrap_or_else(|_| {
            Err(Failing::Wrong("its results made the host's code panic".into()))
        })
    }

    /// The device for the test. Asked for a program with the same recipe, it returns the one under
    /// test. It builds other programs without a self-test and drops them after the trial.
    pub(crate) fn device(&self) -> &'t Device {
        self.device
    }

    /// The program under test.
    pub(crate) fn program(&self) -> &'t Arc<Program> {
        self.program
    }

    /// The value of the define `name`, from a tuning row or the caller.
    pub(crate) fn define(&self, name: &str) -> Option<u64> {
        self.program.define(name)
    }

    /// The user's part of the program, if there is one.
    #[cfg(test)]
    pub(crate) fn user_text(&self) -> Option<UserText<'t>> {
        self.program.user_text()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::opencl::discovery::FoundDevice;
    use crate::opencl::testing::{found_devices, open, self_testing_devices};
    use crate::opencl::{
        Buffer, CacheLocation, Declaration, KernelFamily, Source, kernel_arguments,
    };
    use crate::{Log, Result};

    kernel_arguments! {
        struct Answer<'a> = "answer" {
            out: &'a Buffer<u32>,
        }
    }

    const SOURCES: &[Source] =
        &[Source::Text("kernel void answer(global uint *out) { out[get_global_id(0)] = ANSWER; }")];

    fn family(name: &'static str, self_test: SelfTest) -> KernelFamily {
        KernelFamily {
            name,
            sources: SOURCES,
            kernels: const { &[Declaration::of::<Answer<'_>>()] },
            constants: &[],
            tuning: &[],
            self_test,
        }
    }

    /// The result of a program's kernel.
    fn answer(device: &Device, program: &Arc<Program>) -> Result<u32> {
        let (queue, out) = (device.queue(), device.buffer::<u32>(1)?);
        queue.launch(&program.kernel()?, &Answer { out: &out }, [1], [1])?;
        let mut answer = [0];
        queue.read(&out, 0, &mut answer)?;
        Ok(answer[0])
    }

    /// Expects 42.
    fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
        match answer(trial.device(), trial.program())? {
            42 => Ok(()),
            other => Err(Failing::Wrong(format!("{other}, not 42"))),
        }
    }

    fn in_folder(found: &FoundDevice, folder: &Path) -> Device {
        open(found.clone(), &CacheLocation::Directory(folder.to_owned()), Log::default())
    }

    #[test]
    fn a_program_is_tested_once_for_each_driver() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let counted = |trial: &Trial<'_>| {
            RUNS.fetch_add(1, Ordering::Relaxed);
            assert_eq!(trial.define("ANSWER"), Some(42));
            assert!(trial.user_text().is_none());
            compare(trial)
        };
        let family = family("counted", counted);
        for found in found_devices() {
            RUNS.store(0, Ordering::Relaxed);
            let folder = tempfile::tempdir().unwrap();
            for _ in 0..2 {
                let device = in_folder(&found, folder.path());
                for _ in 0..2 {
                    let program = device.program(&family, &[("ANSWER", 42)]).unwrap();
                    assert_eq!(answer(&device, &program).unwrap(), 42);
                }
            }
            // A driver with its own cache might have lost the kernels.
            let again = found.quirks.goes_without_cache() || found.quirks.keeps_kernels;
            assert_eq!(RUNS.load(Ordering::Relaxed), if again { 2 } else { 1 });
        }
    }

    #[test]
    fn a_program_that_is_wrong_is_barred_here_and_on_disk() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let counted = |trial: &Trial<'_>| {
            RUNS.fetch_add(1, Ordering::Relaxed);
            compare(trial)
        };
        let family = family("wrong", counted);
        for found in found_devices() {
            RUNS.store(0, Ordering::Relaxed);
            let folder = tempfile::tempdir().unwrap();
            let name = &found.info.name;
            let expected = format!(
                "kernels wrong are barred on {name}, they fail their self-test: 41, not 42"
            );
            for _ in 0..2 {
                let device = in_folder(&found, folder.path());
                assert!(!device.is_barred(&family, &[("ANSWER", 41)]));
                for _ in 0..2 {
                    let refused = device.program(&family, &[("ANSWER", 41)]);
                    assert!(
                        matches!(refused.as_ref().err().map(Box::as_ref), Some(Error::DeviceFailed(text)) if *text == expected)
                    );
                }
                assert!(device.is_barred(&family, &[("ANSWER", 41)]));
                // Another variant is another program.
                assert!(device.program(&family, &[("ANSWER", 42)]).is_ok());
            }
            // All devices with a cache keep a barred program's verdict on disk.
            let expected = match (found.quirks.goes_without_cache(), found.quirks.keeps_kernels) {
                (true, _) => 4,
                (false, true) => 3,
                (false, false) => 2,
            };
            assert_eq!(RUNS.load(Ordering::Relaxed), expected);
        }
    }

    #[test]
    fn a_test_that_does_not_end_well_says_nothing_of_the_kernels() {
        let failing = |_: &Trial<'_>| Err(Error::device_failed("kernel on fire").into());
        let family = family("failing", failing);
        for device in self_testing_devices() {
            let refused = device.program(&family, &[("ANSWER", 42)]);
            assert!(
                matches!(refused.as_ref().err().map(Box::as_ref), Some(Error::DeviceFailed(text)) if text == "kernel on fire")
            );
            assert!(!device.is_barred(&family, &[("ANSWER", 42)]));
        }
        let internal = Failing::from(Error::internal("a path costs 3, its cell 4"));
        assert!(matches!(internal, Failing::Wrong(text) if text == "a path costs 3, its cell 4"));
    }

    #[test]
    fn a_test_asks_for_its_own_program_and_for_others() {
        fn asking(trial: &Trial<'_>) -> Result<(), Failing> {
            let device = trial.device();
            let own = device.program(&family("asking", asking), &[("ANSWER", 42)])?;
            assert!(Arc::ptr_eq(&own, trial.program()));
            let other = device.program(&family("asking", asking), &[("ANSWER", 41)])?;
            assert_eq!(answer(device, &other)?, 41);
            compare(trial)
        }
        for device in self_testing_devices() {
            assert!(device.program(&family("asking", asking), &[("ANSWER", 42)]).is_ok());
            // A program built during the test was not tested.
            assert!(device.program(&family("asking", compare), &[("ANSWER", 41)]).is_err());
        }
    }

    #[test]
    fn a_test_knows_the_users_text() {
        let knowing = |trial: &Trial<'_>| {
            let user = trial.user_text().expect("it has one");
            assert_eq!((user.argument, user.text), ("six", "uint six() { return 6; }"));
            compare(trial)
        };
        let family = KernelFamily {
            name: "six",
            sources: &[Source::Text(
                "kernel void answer(global uint *out) { out[0] = 7 * six(); }",
            )],
            kernels: const { &[Declaration::of::<Answer<'_>>()] },
            constants: &[],
            tuning: &[],
            self_test: knowing,
        };
        for device in self_testing_devices() {
            let six = UserText { argument: "six", before: "", text: "uint six() { return 6; }" };
            assert_eq!(
                answer(&device, &device.program_with(&family, &[], six).unwrap()).unwrap(),
                42
            );
        }
    }
}
