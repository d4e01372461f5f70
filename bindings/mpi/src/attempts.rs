//! Restarts after the loss of a rank. Most MPIs end all ranks when one ends, so that this program
//! starts the launcher again, outside MPI.

use std::ffi::OsString;
use std::process::Command;

use makespan_cli::console;

use crate::launcher::{self, Ended};

/// How often and how to start the ranks.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// Start the ranks by the launcher, and again after the loss of a rank: this many starts at most;
    /// needs --ranks, and --checkpoint to lose no work
    #[arg(long, value_name = "N", requires = "ranks", value_parser = clap::value_parser!(u32).range(1..))]
    attempts: Option<u32>,
    /// The number of ranks at first; each further attempt has one less
    #[arg(long, value_name = "N", requires = "attempts", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Option<u32>,
    /// The launcher's command, with {ranks} for the number of ranks
    #[arg(long, value_name = "COMMAND", default_value = "mpirun -n {ranks}")]
    launcher: String,
}

/// Options of this module, which the ranks do not get.
const OWN: [&str; 3] = ["--attempts", "--ranks", "--launcher"];
/// Exit code for bad input or usage, which another attempt does not change.
const USAGE: i32 = 2;
/// Exit code of ranks that end themselves after a failure: another attempt would fail, too.
pub(crate) const FAILED: i32 = 3;
/// Exit code of ranks that end themselves because rank 0 is lost.
pub(crate) const LOST: i32 = 1;

/// Starts the ranks and returns the exit code. None if that was not asked for.
pub(crate) fn run(arguments: &Arguments) -> Option<i32> {
    let attempts = arguments.attempts?;
    let mut ranks = arguments.ranks?;
    let rest = others(std::env::args_os().skip(1));
    for attempt in 1..=attempts {
        let launcher = arguments.launcher.replace("{ranks}", &ranks.to_string());
        let mut words = launcher.split_whitespace();
        let (Some(name), Ok(own)) = (words.next(), std::env::current_exe()) else {
            console::write_error("makespan-mpi: error: --launcher names no program\n");
            return Some(USAGE);
        };
        match launcher::run(Command::new(name).args(words).arg(own).args(&rest)).map(code) {
            Err(error) => {
                console::write_error(&format!("makespan-mpi: error: {name}: {error}\n"));
                return Some(USAGE);
            }
            Ok(Some(code @ (0 | USAGE | FAILED))) => return Some(code),
            Ok(_) if attempt == attempts => break,
            Ok(_) => ranks = ranks.saturating_sub(1).max(1),
        }
        console::write_error(&format!(
            "makespan-mpi: warning: a rank was lost; attempt {} has {ranks} ranks\n",
            attempt + 1
        ));
    }
    console::write_error("makespan-mpi: error: no attempt was completed\n");
    Some(1)
}

/// The exit code that counts. Success without a result is a loss: Open MPI 5 with ULFM reports it when
/// all ranks are lost.
fn code(launcher: Ended) -> Option<i32> {
    match launcher.code {
        Some(0) if !launcher.has_output => Some(LOST),
        code => code,
    }
}

/// The arguments without those of this module.
fn others(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut rest = Vec::new();
    let mut all = all.peekable();
    while let Some(argument) = all.next() {
        let text = argument.to_string_lossy();
        if OWN.contains(&&*text) {
            all.next();
        } else if !OWN.iter().any(|own| text.starts_with(&format!("{own}="))) {
            rest.push(argument);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_without_a_result_is_a_loss() {
        let counting =
            |code_of_launcher, has_output| code(Ended { code: code_of_launcher, has_output });
        assert_eq!(counting(Some(0), false), Some(LOST));
        assert_eq!(counting(Some(0), true), Some(0));
        assert_eq!(counting(Some(FAILED), false), Some(FAILED));
        assert_eq!(counting(None, true), None);
    }

    #[test]
    fn ranks_get_all_other_arguments() {
        let all = ["--attempts", "3", "--ranks=8", "flow-shop", "ta056", "--seed", "5"];
        let rest = others(all.into_iter().map(OsString::from));
        assert_eq!(rest, ["flow-shop", "ta056", "--seed", "5"]);
    }
}
