//! The sources of a context's tuning rows.

use std::fs::File;
use std::path::Path;

use super::ContextOptions;
use crate::error::shown;
use crate::opencl::{Cache, Rows, Tuning, rows_of};
use crate::{Error, Result, kernel_families};

/// Names a file of tuning rows.
const VARIABLE: &str = "MAKESPAN_TUNING";

/// A context's rows.
pub(super) struct Collected {
    pub(super) rows: Tuning,
    /// Why rows of a file were not read.
    pub(super) warnings: Vec<String>,
}

/// The rows of the options, of the file that the environment names, of the user's file and of the
/// library, in this order of precedence. Faulty rows are an error if the options have or name them;
/// otherwise a warning.
pub(super) fn collect(options: &ContextOptions, cache: &Cache) -> Result<Collected> {
    let families: Vec<_> = kernel_families::all().collect();
    let parse = |text: String| Rows::parse(&text, &families);
    let read = |path: &Path| File::open(path).and_then(rows_of).map_err(|error| error.to_string());
    let mut layers = Vec::new();
    if let Some(text) = &options.tuning {
        let rows = Rows::parse(text, &families);
        layers.push(rows.map_err(|reason| Error::argument("tuning", reason))?);
    }
    if let Some(path) = &options.tuning_file {
        let refused = |reason| Error::argument("tuning_file", format!("{}: {reason}", shown(path)));
        layers.push(read(path).and_then(parse).map_err(refused)?);
    }
    let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let named = named.map(|path| (VARIABLE, read(Path::new(&path))));
    let users = cache.tuning_rows();
    let users = users.map(|text| ("the user's file", text.map_err(|error| error.to_string())));
    let mut warnings = Vec::new();
    for (source, text) in named.into_iter().chain(users) {
        match text.and_then(parse) {
            Ok(rows) => layers.push(rows),
            Err(reason) => {
                let warning = format!("the tuning rows of {source} are not used: {reason}");
                options.log.warn(|| warning.clone());
                warnings.push(warning);
            }
        }
    }
    Ok(Collected { rows: Tuning::new(&families, layers), warnings })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::{CacheLocation, Context, Log};

    /// The rows of a context with a user's file of this text.
    fn collected(users: &str, options: ContextOptions) -> Result<Collected> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tuning"), users).unwrap();
        let location = CacheLocation::Directory(folder.path().to_owned());
        collect(&options, &Cache::new(&location, Log::default()))
    }

    #[test]
    fn a_faulty_users_file_is_a_warning_and_a_missing_one_is_not() {
        let warnings = collected("makespan tuning 1\nknapsack default GROUP 3", Default::default());
        let warnings = warnings.unwrap().warnings;
        let expected = "the tuning rows of the user's file are not used: line 2: GROUP (work-items \
                        of a group for profits) must be a power of two from 16 to 1024, not 3";
        assert_eq!(warnings, [expected]);
        let good = collected("makespan tuning 1\nknapsack default GROUP 32", Default::default());
        assert!(good.unwrap().warnings.is_empty());
        let cache = Cache::new(&CacheLocation::Directory("/nowhere".into()), Log::default());
        assert!(collect(&ContextOptions::default(), &cache).unwrap().warnings.is_empty());
    }

    #[test]
    fn faults_of_what_the_caller_names_are_errors() {
        let refusal = |options| Context::new(options).err().unwrap().to_string();
        let tuning = Some("makespan tuning 2".to_owned());
        let text = refusal(ContextOptions { tuning, ..ContextOptions::default() });
        assert_eq!(text, "tuning: line 1: has version 2 of the format, not 1");
        let tuning_file = Some(PathBuf::from("/no/such/file"));
        let text = refusal(ContextOptions { tuning_file, ..ContextOptions::default() });
        assert!(text.starts_with("tuning_file: /no/such/file: "), "{text}");
    }

    #[test]
    fn rows_of_the_options_come_before_the_users() {
        let group = |value| format!("makespan tuning 1\nknapsack default GROUP {value}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rows");
        fs::write(&file, group(256)).unwrap();
        let options = |tuning, tuning_file| ContextOptions {
            tuning,
            tuning_file,
            ..ContextOptions::default()
        };
        let families: Vec<_> = kernel_families::all().collect();
        let info = crate::opencl::DeviceInfo::sample("X", "Y", "P", "");
        for (options, expected) in [
            (options(None, None), 128),
            (options(None, Some(file.clone())), 256),
            (options(Some(group(512)), Some(file)), 512),
        ] {
            let rows = collected(&group(128), options).unwrap().rows;
            let shown = rows.shown(&families, &info);
            let line = shown.lines().find(|line| line.starts_with("knapsack device")).unwrap();
            assert!(line.contains(&format!(" GROUP {expected} ")), "{line}");
        }
    }
}
