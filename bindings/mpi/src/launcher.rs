//! The process of an MPI launcher, which starts the ranks and ends after them.

use std::fs;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use makespan_cli::console;

/// Time between two looks at the ranks.
const LOOK: Duration = Duration::from_secs(1);
/// How long a launcher may leave its ended ranks before it counts as stuck. That of Open MPI 4 may
/// wait forever if a rank dies while it starts.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a launcher ended.
pub(crate) struct Ended {
    /// The exit code; None after a signal.
    pub(crate) code: Option<i32>,
    /// Whether the ranks wrote a result.
    pub(crate) has_output: bool,
}

/// Runs a launcher until it ends. Ends a launcher that is stuck.
pub(crate) fn run(command: &mut Command) -> io::Result<Ended> {
    run_patiently(command, LOOK, PATIENCE)
}

fn run_patiently(command: &mut Command, look: Duration, patience: Duration) -> io::Result<Ended> {
    let mut launcher = command.stdout(Stdio::piped()).spawn()?;
    let output = launcher.stdout.take();
    let copied = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        scope.spawn(move || {
            let copied =
                output.map_or(Ok(0), |mut output| io::copy(&mut output, &mut io::stdout()));
            // The receiver waits for this.
            let _ = sender.send(copied);
        });
        let mut stuck_since = None;
        loop {
            match receiver.recv_timeout(look) {
                Ok(copied) => break copied,
                Err(RecvTimeoutError::Disconnected) => break Err(io::ErrorKind::BrokenPipe.into()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !has_only_ended_children(launcher.id()) {
                stuck_since = None;
            } else if stuck_since.get_or_insert_with(Instant::now).elapsed() >= patience {
                end(&mut launcher)?;
            }
        }
    });
    let code = launcher.wait()?.code();
    Ok(Ended { code, has_output: copied? > 0 })
}

fn end(launcher: &mut Child) -> io::Result<()> {
    console::write_error("makespan-mpi: warning: all ranks have ended, but not the launcher\n");
    launcher.kill()
}

/// Whether a process has children, and has waited for none of them although all have ended. False on
/// systems other than Linux, where this is not known.
fn has_only_ended_children(parent: u32) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    let stat = |process: fs::DirEntry| fs::read(process.path().join("stat")).ok();
    let stats = processes.flatten().filter_map(stat);
    let has_ended = |stat: Vec<u8>| has_child_ended(&String::from_utf8_lossy(&stat), parent);
    let mut children = stats.filter_map(has_ended).peekable();
    children.peek().is_some() && children.all(|has_ended| has_ended)
}

/// Whether the process with this text of `/proc/PID/stat` has ended; None if it has another parent.
fn has_child_ended(stat: &str, parent: u32) -> Option<bool> {
    // The name of the program, in brackets, may contain any character.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let (state, of, threads) = (*fields.first()?, *fields.get(1)?, *fields.get(17)?);
    // Threads may live longer than the first one.
    (of.parse() == Ok(parent)).then(|| state == "Z" && matches!(threads, "0" | "1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(script: &str) -> Ended {
        let look = Duration::from_millis(50);
        run_patiently(Command::new("sh").args(["-c", script]), look, 4 * look).unwrap()
    }

    #[test]
    fn the_code_and_the_output_of_a_launcher_are_known() {
        let seen = |script| {
            let Ended { code, has_output } = ended(script);
            (code, has_output)
        };
        assert_eq!(seen("true"), (Some(0), false));
        assert_eq!(seen("echo result; exit 3"), (Some(3), true));
        assert_eq!(seen("kill -9 $$"), (None, false));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_launcher_that_does_not_notice_the_end_of_its_ranks_is_ended() {
        let begun = Instant::now();
        // The process of `sleep` inherits a child that it does not wait for.
        assert_eq!(ended("true & exec sleep 600").code, None);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_launcher_with_a_rank_that_works_is_not_ended() {
        assert_eq!(ended("true & sleep 2 & exec sleep 1").code, Some(0));
        assert_eq!(ended("sleep 1; exit 7").code, Some(7));
    }

    #[test]
    fn the_state_follows_the_name_of_the_program() {
        let stat = |start: &str, threads| format!("{start}{} {threads} 0", " 1".repeat(15));
        assert_eq!(has_child_ended(&stat("7 (a) R 3) Z 5", 1), 5), Some(true));
        assert_eq!(has_child_ended(&stat("7 (a) Z 5", 2), 5), Some(false));
        assert_eq!(has_child_ended(&stat("7 (a) S 5", 1), 5), Some(false));
        assert_eq!(has_child_ended(&stat("7 (a) Z 5", 1), 3), None);
        assert_eq!(has_child_ended("", 3), None);
    }
}
