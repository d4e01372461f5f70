//! A denser layout of cbindgen's header, and its functions in the order in which a reader needs
//! them: those of one call, those of handles, and what few programs need.

use std::cmp::Reverse;

/// Columns of a line.
const WIDTH: usize = 120;

/// Parts of the names of functions that few programs need.
const ADVANCED: [&str; 19] = [
    "_batch",
    "_calibrate",
    "_cell_",
    "_device_",
    "_dp_instance_create_",
    "_fold",
    "_form_",
    "_from_opencl",
    "_prewarm",
    "_profile",
    "_random",
    "_speeds",
    "_statistic",
    "_tuning",
    "_within",
    "option_info",
    "options_count",
    "options_info",
    "solve_profits",
];

/// Rewrites the header: comments in `///`, enumerations without guards, comments and functions in as
/// few lines as they need.
pub(crate) fn compact(header: &str) -> String {
    let (types, functions) = header.split_once("extern \"C\" {").unwrap();
    let (functions, end) = functions.rsplit_once("#ifdef __cplusplus").unwrap();
    // The line after the opening ends its guard.
    let (guard, functions) = functions.split_once("#endif").unwrap();
    let (rest, functions) = functions.split_once('\n').unwrap();
    let (simple, other): (Vec<_>, Vec<_>) = blocks(functions)
        .into_iter()
        .partition(|block| block.replace("\n * ", " ").contains("The simplest call"));
    let (advanced, handles): (Vec<_>, Vec<_>) = other.into_iter().partition(|block| {
        let name = block.rsplit_once('(').unwrap().0.rsplit([' ', '*']).next().unwrap();
        ADVANCED.iter().any(|part| name.contains(part))
    });
    let declared = |blocks: Vec<String>| {
        let declared: Vec<_> = blocks.iter().map(|block| declaration(block)).collect();
        declared.join("\n")
    };
    let text = format!(
        "{}extern \"C\" {{{guard}#endif{rest}\n\n/* One call. */\n\n{}\n/* Handles. */\n\n{}\n/* Advanced. */\n\n{}\n#ifdef __cplusplus{end}",
        enumerations(types),
        declared(simple),
        declared(handles),
        declared(advanced),
    );
    members(&wrapped(&twins(&callbacks(&comments(&text)))))
}

/// Structs of real numbers have the fields of those of whole numbers, so that their comments are
/// left out.
fn twins(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let name = line.strip_prefix("typedef struct ").and_then(|rest| rest.strip_suffix(" {"));
        if let Some(whole) = name.and_then(|name| name.strip_suffix("_f64")) {
            while lines.pop_if(|line| line.starts_with("///")).is_some() {}
            lines.push(format!("/// ::{whole}_i64 in real numbers."));
            inside = true;
        }
        if inside && line.starts_with('}') {
            inside = false;
        }
        if !inside || !line.trim_start().starts_with("///") {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n") + "\n"
}

/// The functions with their comments.
fn blocks(functions: &str) -> Vec<String> {
    functions.split("/**\n").skip(1).map(|block| format!("/**\n{block}")).collect()
}

/// A comment, and a function in as few lines as it needs.
fn declaration(block: &str) -> String {
    let (comment, code) = block.split_once("*/\n").unwrap();
    format!("{comment}*/\n{}\n", filled(code))
}

/// A declaration in as few lines as it needs.
fn filled(code: &str) -> String {
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = vec![String::new()];
    for parameter in code.split_inclusive(", ") {
        let line = lines.last_mut().unwrap();
        if line.len() + parameter.trim_end().len() <= WIDTH {
            *line += parameter;
        } else if line.is_empty() {
            // Not even the first parameter fits behind the name.
            let (function, first) = parameter.split_once('(').unwrap();
            *line = format!("{function}(");
            lines.push(format!("    {first}"));
        } else {
            *line = line.trim_end().to_owned();
            lines.push(format!("    {parameter}"));
        }
    }
    lines.join("\n")
}

/// Types of callbacks in as few lines as they need.
fn callbacks(text: &str) -> String {
    let mut parts = text.split("\ntypedef ");
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (code, rest) = part.split_once(";\n").unwrap();
        text += &match code.contains("(*mks_") && !code.contains('{') {
            true => format!("\n{};\n{rest}", filled(&format!("typedef {code}"))),
            false => format!("\ntypedef {part}"),
        };
    }
    text
}

/// Paragraphs and items of lists in comments in as few lines as they need. Blocks of code stay as
/// they are.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // The beginning of lines that continue the last one, if there may be any.
    let mut next: Option<String> = None;
    let mut literal = false;
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let Some(comment) = line.trim_start().strip_prefix("/// ") else {
            lines.push(line.to_owned());
            next = None;
            continue;
        };
        let fence = comment.starts_with("```");
        if fence || literal {
            lines.push(line.to_owned());
            next = None;
            literal ^= fence;
            continue;
        }
        let item = comment.starts_with("- ");
        if item || next.is_none() {
            lines.push(format!("{indent}///"));
            next = Some(format!("{indent}///{}", if item { "  " } else { "" }));
        }
        for phrase in phrases(comment) {
            if lines.last().unwrap().len() + 1 + phrase.len() > WIDTH {
                lines.extend(next.clone());
            }
            *lines.last_mut().unwrap() += &format!(" {phrase}");
        }
    }
    lines.join("\n") + "\n"
}

/// The words of a line; those of brackets and quotations that begin and end in it stay together.
fn phrases(line: &str) -> Vec<String> {
    let mut phrases: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let is_open = |phrase: &&mut String| {
            phrase.matches('[').count() != phrase.matches(']').count()
                || phrase.matches('"').count() % 2 == 1
        };
        match phrases.last_mut().filter(is_open) {
            Some(phrase) => *phrase += &format!(" {word}"),
            None => phrases.push(word.to_owned()),
        }
    }
    phrases
}

/// Puts short comments of a type's fields or numbers behind them, in the column in which most of
/// them fit.
fn members(text: &str) -> String {
    let mut result = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        result.push(line.to_owned());
        if !line.ends_with('{') || !(line.starts_with("typedef") || line.starts_with("enum")) {
            continue;
        }
        let mut members: Vec<(Vec<&str>, &str)> = Vec::new();
        let mut comment = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('}')) {
            match line.trim_start().starts_with("///") {
                true => comment.push(line),
                false => members.push((std::mem::take(&mut comment), line)),
            }
        }
        let behind = |column: usize, (comment, code): &(Vec<&str>, &str)| {
            let [comment] = comment[..] else { return None };
            let line = format!("{code:column$} ///<{}", comment.trim_start().strip_prefix("///")?);
            (code.len() <= column && line.len() <= WIDTH).then_some(line)
        };
        let fitting = |column| members.iter().filter_map(|own| behind(column, own)).count();
        let columns = members.iter().map(|(_, code)| code.len());
        let column = columns.max_by_key(|&column| (fitting(column), Reverse(column))).unwrap();
        for member in &members {
            match behind(column, member) {
                Some(line) => result.push(line),
                None => result.extend(member.0.iter().chain([&member.1]).map(|&line| line.into())),
            }
        }
    }
    result.join("\n") + "\n"
}

/// Enumerations are passed as `int32_t`, so their names are that type everywhere.
fn enumerations(types: &str) -> String {
    let mut text = String::new();
    let mut lines = types.lines().peekable();
    let mut open: Option<String> = None;
    while let Some(line) = lines.next() {
        match line.strip_prefix("enum mks_") {
            Some(name) => {
                // The guard of the underlying type, up to the brace.
                while lines.next_if(|line| *line != " {").is_some() {}
                lines.next();
                text += "enum {\n";
                open = Some(name.trim_end_matches(" {").to_owned());
            }
            None => text += &format!("{line}\n"),
        }
        if line == "};"
            && let Some(name) = open.take()
        {
            // The guards of the name.
            while lines.next_if(|line| !line.is_empty()).is_some() {}
            text += &format!("typedef int32_t mks_{name};\n");
        }
    }
    text
}

/// Comments of declarations in `///`.
fn comments(text: &str) -> String {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let indent = &line[..line.len() - trimmed.len()];
        match trimmed {
            "/**" => inside = true,
            "*/" if inside => inside = false,
            // The asterisk has a space before it.
            "*" if inside => {
                lines.push(format!("{}///", indent.strip_suffix(' ').unwrap_or(indent)))
            }
            _ if inside => {
                let indent = indent.strip_suffix(' ').unwrap_or(indent);
                lines.push(format!("{indent}///{}", trimmed.strip_prefix('*').unwrap()));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}
