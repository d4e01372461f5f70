//! `makespan generate`: the manual pages and the completions of shells, for installers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::failure::Failure;
use crate::names::shown;

/// Shells whose completions are installed, with the folders where these look.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Zsh, "zsh/site-functions"),
    (Shell::Fish, "fish/vendor_completions.d"),
];

/// Write the manual pages and the completions of shells into a folder such as /usr/share
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder that gets man/man1, bash-completion, zsh and fish
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    write(&arguments.folder)
        .map_err(|error| Failure::other(format!("{}: {error}", shown(&arguments.folder))))
}

fn write(share: &Path) -> io::Result<()> {
    let made = |folder: &str| {
        let folder = share.join(folder);
        fs::create_dir_all(&folder).map(|()| folder)
    };
    let mut command = command();
    for (shell, folder) in SHELLS {
        clap_complete::generate_to(shell, &mut command, "makespan", made(folder)?)?;
    }
    // Bash looks for a file of the command's name.
    let bash = share.join(SHELLS[0].1);
    fs::rename(bash.join("makespan.bash"), bash.join("makespan"))?;
    clap_mangen::generate_to(command, made("man/man1")?)
}

/// The command without what is hidden.
fn command() -> Command {
    let all = crate::Arguments::command();
    let visible = all.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned();
    Command::new("makespan")
        .version(env!("CARGO_PKG_VERSION"))
        .about(all.get_about().cloned().unwrap_or_default())
        .subcommands(visible)
}
