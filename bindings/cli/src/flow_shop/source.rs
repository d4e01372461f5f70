//! Reading instances of any format.

use std::path::Path;

use clap::ValueEnum;
use makespan::flow_shop::{Format, Instance};

use super::named::Named;
use super::{csv, json};
use crate::answer::count;
use crate::failure::Failure;
use crate::options::Common;
use crate::sheet::FormatOption;
use crate::{names, session};

/// How to read the instance.
#[derive(clap::Args)]
pub(super) struct Source {
    #[command(flatten)]
    csv: FormatOption,
    /// Format of FILE; auto looks at the ending of its name, .csv or .json, else at its lines
    #[arg(long, value_enum, default_value_t = FileFormat::Auto, conflicts_with = "csv")]
    format: FileFormat,
}

/// The formats of the library, and those with names.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    Auto,
    Taillard,
    Vrf,
    Matrix,
    Setups,
    DueDates,
    Json,
    Csv,
}

impl FileFormat {
    /// The format of the library.
    fn of_library(self) -> Format {
        match self {
            FileFormat::Taillard => Format::Taillard,
            FileFormat::Vrf => Format::Vrf,
            FileFormat::Matrix => Format::Matrix,
            FileFormat::Setups => Format::Setups,
            FileFormat::DueDates => Format::DueDates,
            FileFormat::Auto | FileFormat::Json | FileFormat::Csv => Format::Auto,
        }
    }
}

impl Source {
    /// The file, or the known instance of that name.
    pub(super) fn read(&self, file: &Path, common: &Common) -> Result<Named, Failure> {
        match self.format_of(file) {
            FileFormat::Csv => session::read(common, file, csv::parse),
            FileFormat::Json => session::read_text(common, file, |text| json::parse(text, file)),
            FileFormat::Auto if names::is_standard_input(file) || file.exists() => {
                let read = session::read(common, file, Instance::parse_with_doubt)?;
                Ok(doubtful(read))
            }
            FileFormat::Auto => known(file),
            format => {
                let parse = |text: &str| Instance::parse_as(text, format.of_library());
                session::read(common, file, parse).map(Named::new)
            }
        }
    }

    fn format_of(&self, file: &Path) -> FileFormat {
        let ends_in_json =
            file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        match self.format {
            FileFormat::Auto if self.csv.is_csv(file) => FileFormat::Csv,
            FileFormat::Auto if ends_in_json => FileFormat::Json,
            format => format,
        }
    }
}

fn known(file: &Path) -> Result<Named, Failure> {
    let unknown = "there is no such file and no such known instance; ta001 to ta120 are known";
    let instance = file.to_str().and_then(Instance::named);
    instance
        .map(Named::new)
        .ok_or_else(|| Failure::usage(format!("{}: {unknown}", names::shown(file))))
}

/// The instance, with a warning if the file could also be read in another way.
fn doubtful((instance, reads_two_ways): (Instance, bool)) -> Named {
    let mut named = Named::new(instance);
    if reads_two_ways {
        let size = size(&named.instance);
        named.warnings.push(format!(
            "the first line is read as the sizes, {size}; the file could also be a matrix of two machines"
        ));
    }
    named
}

pub(super) fn size(instance: &Instance) -> String {
    format!("{} on {}", count(instance.jobs(), "job"), count(instance.machines(), "machine"))
}
