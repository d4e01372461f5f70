//! The committed header, the symbol list and a program that calls every function match the code.
//! `MAKESPAN_BLESS=1` writes them again.

#[path = "header/compact.rs"]
mod compact;
#[path = "header/walk.rs"]
mod walk;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use makespan::{DeviceKind, Enumeration, LogLevel, Status};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The folders of the library's C interface, and the sources of the units' header in them.
const CAPI: &str = "src/capi";
const UNITS: [&str; 2] = ["flow_shop/upper_bound.rs", "flow_shop/units.rs"];

/// The header of the units of work, which few programs need.
const UNITS_HEADER: &str = "include/makespan_units.h";
const UNITS_OPENING: &str = "
/*
 * makespan: units of work, to prove optima on many machines
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A program sends units of work to other threads, processes or machines by any transport. All that makespan.h says of
 * handles, threads and errors holds here, too. Functions named _create, _read_checkpoint and _from_bytes make a handle.
 */";

fn generated() -> String {
    let capi = Path::new(ROOT).join(CAPI);
    let mut config = cbindgen::Config::from_file(Path::new(ROOT).join("cbindgen.toml")).unwrap();
    config.export.include = enumerations(&capi);
    let units = UNITS.map(|source| fs::read_to_string(capi.join(source)).unwrap()).concat();
    let is_item = |name: &&str| {
        let declared = [format!("fn {name}("), format!("pub struct {name} ")];
        declared.iter().any(|declared| units.contains(declared))
    };
    config.export.exclude = names(&units).filter(is_item).map(str::to_owned).collect();
    // The modules that it names follow in its order.
    let builder = cbindgen::Builder::new().with_config(config).with_src(capi.join("mod.rs"));
    let header = written(builder);
    let calls = simplest_calls(&header).join("\n *     ");
    compact::compact(&header.replace("@simplest-calls@", &calls))
}

fn generated_units() -> String {
    let mut config = cbindgen::Config::from_file(Path::new(ROOT).join("cbindgen.toml")).unwrap();
    config.header = Some(UNITS_OPENING.into());
    config.include_guard = Some("MAKESPAN_UNITS_H".into());
    (config.sys_includes, config.after_includes) = (vec!["makespan.h".into()], None);
    let sources = UNITS.map(|source| Path::new(ROOT).join(CAPI).join(source));
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |builder, source| builder.with_src(source));
    // It has no function that takes arrays alone.
    compact::compact(&written(builder)).replace("/* One call. */\n\n\n/* Handles. */\n\n", "")
}

fn written(builder: cbindgen::Builder) -> String {
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

/// Both headers, one after the other.
fn generated_all() -> String {
    generated() + &generated_units()
}

/// The functions that their comments call the simplest, with their arguments. A comment writes
/// outputs that are no arrays as `*name`.
fn simplest_calls(header: &str) -> Vec<String> {
    let mut calls = Vec::new();
    for documented in header.split("/**").skip(1) {
        let (comment, code) = documented.split_once("*/").unwrap();
        let words: Vec<&str> = comment.split_whitespace().filter(|word| *word != "*").collect();
        if !words.join(" ").contains("The simplest call") {
            continue;
        }
        let (function, rest) = code.split_once('(').unwrap();
        let parameters = rest.split_once(')').unwrap().0.split(',');
        let arguments: Vec<String> = parameters
            .map(|parameter| {
                let name = parameter.rsplit([' ', '*']).next().unwrap();
                let is_number = words.contains(&format!("*{name}").as_str());
                if is_number { format!("&{name}") } else { name.to_owned() }
            })
            .collect();
        let name = names(function).last().unwrap();
        calls.push(format!("{name}({})", arguments.join(", ")));
    }
    calls
}

/// The C enumerations in a folder, by name. Functions take and fields have their values as
/// `int32_t`, so that no declaration leads cbindgen to them.
fn enumerations(folder: &Path) -> Vec<String> {
    let mut found: Vec<String> = sources(folder)
        .flat_map(|source| {
            let text = fs::read_to_string(source).unwrap();
            let names = text.split("pub enum mks_").skip(1);
            names.map(|rest| format!("mks_{}", rest.split(' ').next().unwrap())).collect::<Vec<_>>()
        })
        .collect();
    found.sort();
    found
}

/// All files of a folder.
fn sources(folder: &Path) -> Box<dyn Iterator<Item = PathBuf>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    Box::new(entries.flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => Box::new(std::iter::once(path)),
    }))
}

/// Compares a committed file with its expected content, or writes it.
fn check(file: &str, expected: &str) {
    let path = Path::new(ROOT).join(file);
    if env::var_os("MAKESPAN_BLESS").is_some() {
        fs::write(path, expected).unwrap();
        return;
    }
    let committed = fs::read_to_string(path).unwrap();
    assert!(
        committed == expected,
        "{file} is out of date: run MAKESPAN_BLESS=1 cargo test --test header"
    );
}

/// The identifiers in a text that begin with the library's prefixes.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| word.starts_with("mks_") || word.starts_with("MKS_"))
}

/// The header without its comments.
fn code(header: &str) -> String {
    let lines = header.lines().map(|line| line.split("///").next().unwrap().trim_end());
    let header = lines.collect::<Vec<_>>().join("\n");
    let mut parts = header.split("/*");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |code, part| code + part.split_once("*/").unwrap().1)
}

/// The names of the functions a header declares, sorted.
fn functions(header: &str) -> BTreeSet<String> {
    let code = code(header);
    let (_, declarations) = code.split_once("extern \"C\" {").unwrap();
    let declared =
        declarations.split("MKS_API").skip(1).filter_map(|function| function.split_once('('));
    declared.filter_map(|(before, _)| names(before).last()).map(str::to_owned).collect()
}

fn symbol_list(functions: &BTreeSet<String>) -> String {
    functions.iter().map(|function| format!("{function}\n")).collect()
}

#[test]
fn the_header_is_up_to_date() {
    check("include/makespan.h", &generated());
    check(UNITS_HEADER, &generated_units());
}

/// Programmers read all of it.
#[test]
fn the_header_stays_short() {
    let lines = generated().lines().count();
    assert!(lines <= 1800, "the header has {lines} lines");
}

#[test]
fn the_symbol_list_is_what_the_header_declares() {
    check("include/makespan.symbols", &symbol_list(&functions(&generated_all())));
}

#[test]
fn the_program_that_walks_all_functions_is_up_to_date() {
    check("tests/c/every_function.c", &walk::program(&code(&generated_all())));
}

#[test]
fn each_function_is_called_by_a_program_in_c() {
    let programs: String = sources(&Path::new(ROOT).join("tests/c"))
        .filter(|program| !program.ends_with("every_function.c"))
        .map(|program| fs::read_to_string(program).unwrap())
        .collect();
    let called: BTreeSet<&str> = names(&programs).collect();
    for function in functions(&generated_all()) {
        assert!(called.contains(function.as_str()), "{function} is not called");
    }
}

/// Compares a type's enumerators in the header with values, which count from `first`, and with
/// those that only C has.
fn check_numbers<T: Enumeration>(
    code: &str,
    prefix: &str,
    (first, values): (i32, &[T]),
    others: &[(&str, i32)],
) {
    let plain = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let enumerator = |line: &str| {
        let (name, number) = line.trim().strip_prefix(prefix)?.split_once(" = ")?;
        Some((plain(name), number.trim_end_matches(',').parse().unwrap()))
    };
    let found: BTreeSet<(String, i32)> = code.lines().filter_map(enumerator).collect();
    let values = values.iter().map(|value| plain(value.name())).zip(first..);
    let others = others.iter().map(|&(name, number)| (plain(name), number));
    assert_eq!(found, values.chain(others).collect(), "{prefix}");
}

#[test]
fn numbers_of_c_stand_for_the_values_of_that_name() {
    use makespan::interval_dp;

    let code = &code(&generated());
    let none = &[];
    check_numbers(code, "MKS_SOLUTION_STATUS_", (1, &Status::ALL), none);
    check_numbers(code, "MKS_LOG_LEVEL_", (1, &LogLevel::ALL), &[("off", 0)]);
    check_numbers(code, "MKS_DEVICE_KIND_", (0, &DeviceKind::ALL), none);
    check_numbers(code, "MKS_INTERVAL_DP_SEMIRING_", (0, &interval_dp::Semiring::ALL), none);
    // Instances of the last kind have a form of their own.
    let kinds = (0, &interval_dp::Kind::ALL[..3]);
    check_numbers(code, "MKS_INTERVAL_DP_KIND_", kinds, none);
}

#[test]
fn references_name_something() {
    let header = generated_all();
    let code = code(&header);
    let declared: BTreeSet<&str> = names(&code).collect();
    for reference in header.split("::").skip(1).filter_map(|rest| names(rest).next()) {
        assert!(declared.contains(reference), "::{reference} is not declared");
    }
}

#[test]
fn version_macros_are_those_of_the_package() {
    let header = generated();
    let value = |name: &str| {
        let define = format!("#define MKS_VERSION_{name} ");
        header.lines().find_map(|line| line.strip_prefix(&define)).unwrap().to_owned()
    };
    assert_eq!(value("MAJOR"), env!("CARGO_PKG_VERSION_MAJOR"));
    assert_eq!(value("MINOR"), env!("CARGO_PKG_VERSION_MINOR"));
    assert_eq!(value("PATCH"), env!("CARGO_PKG_VERSION_PATCH"));
    assert_eq!(value("STRING"), format!("\"{}\"", env!("CARGO_PKG_VERSION")));
    let combined = "(MKS_VERSION_MAJOR * 10000 + MKS_VERSION_MINOR * 100 + MKS_VERSION_PATCH)";
    assert!(header.contains(&format!("#define MKS_VERSION_NUMBER \\\n    {combined}\n")));
}
