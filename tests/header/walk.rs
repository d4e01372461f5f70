//! A C program that calls every function of the header with NULL, and with handles of another type.

/// A parameter: its name, and what a call passes for it.
struct Parameter<'a> {
    name: &'a str,
    /// The type of the handle, if it is one.
    handle: Option<&'a str>,
    is_pointer: bool,
}

/// The program for a header without comments.
pub(crate) fn program(code: &str) -> String {
    let opaque: Vec<&str> = code
        .lines()
        .filter_map(|line| line.strip_prefix("typedef struct ")?.strip_suffix(';'))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let mut calls = String::new();
    let (_, declarations) = code.split_once("extern \"C\" {").unwrap();
    for declaration in declarations.split("MKS_API").skip(1) {
        let (before, rest) = declaration.split_once('(').unwrap();
        let (parameters, _) = rest.split_once(");").unwrap();
        let parameters: Vec<_> =
            parameters.split(',').filter_map(|text| parameter(text, &opaque)).collect();
        let name = before.split_whitespace().last().unwrap();
        calls +=
            &lines(name, before.split_whitespace().any(|word| word == "mks_status"), &parameters);
    }
    HEAD.to_owned() + &calls + TAIL
}

fn parameter<'a>(text: &'a str, opaque: &[&'a str]) -> Option<Parameter<'a>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
    let (&name, types) = words.split_last()?;
    let is_pointer = text.contains('*') || types.iter().any(|word| word.ends_with("_callback"));
    let handle = types.iter().copied().find(|word| opaque.contains(word));
    let handle = handle.filter(|_| text.matches('*').count() == 1);
    (!types.is_empty()).then_some(Parameter { name, handle, is_pointer })
}

/// The calls of one function.
fn lines(name: &str, is_fallible: bool, parameters: &[Parameter<'_>]) -> String {
    let call = |pass: &dyn Fn(&Parameter<'_>) -> String| {
        let passed: Vec<String> = parameters.iter().map(pass).collect();
        format!("{name}({})", passed.join(", "))
    };
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    let names = names.join(" ");
    let nothing = call(&|own| if own.is_pointer { "NULL".into() } else { "0".into() });
    let other = call(&|own| match own.handle {
        Some("mks_stop") => "(void *)options".into(),
        Some(_) => "(void *)stop".into(),
        None if own.name == "callback" => "NULL".into(),
        None if own.is_pointer => "(void *)room".into(),
        None => "1".into(),
    });
    let takes_handles = parameters.iter().any(|parameter| parameter.handle.is_some());
    match (is_fallible, name) {
        // NULL is harmless here.
        (true, "mks_context_free") => {
            format!("    CHECK({nothing} == MKS_STATUS_OK);\n    REFUSES({other}, \"{names}\");\n")
        }
        (true, _) if takes_handles => {
            format!("    REFUSES({nothing}, \"{names}\");\n    REFUSES({other}, \"{names}\");\n")
        }
        (true, _) => format!("    REFUSES({nothing}, \"{names}\");\n"),
        (false, _) if takes_handles => {
            format!("    {nothing};\n    {other};\n    NAMES_ONE_OF(\"{names}\");\n")
        }
        (false, _) => String::new(),
    }
}

const HEAD: &str = r#"/* Generated from the header by tests/header.rs: do not edit.
 *
 * Calls every function with NULL for each pointer, and with handles of another type. Each call is
 * refused with an error that names one of its own parameters, and writes nothing. */
#include "refusals.h"
#include <makespan_units.h>

/* clang-format off */

static uint64_t room[1024];

int main(void)
{
    mks_stop *stop = NULL;
    mks_options *options = options_with("flow_shop", NULL);
    CHECK_OK(mks_stop_create(&stop));
"#;

const TAIL: &str = "
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        CHECK(room[i] == 0);
    }
    mks_stop_free(stop);
    mks_options_free(options);
    return 0;
}
";
