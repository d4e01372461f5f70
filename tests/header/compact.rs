//! A denser layout of cbindgen's header, and its functions in the order in which a reader needs
//! them: those of one call, those of handles, and what few programs need.

/// Columns of a line.
const WIDTH: usize = 100;

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

/// Rewrites the header: comments in `///`, enumerations without guards, each function in as few
/// lines as it needs.
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
    twins(&comments(&text))
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
    let words: Vec<&str> = code.split_whitespace().collect();
    let mut lines = vec![String::new()];
    for parameter in words.join(" ").split_inclusive(", ") {
        let line = lines.last_mut().unwrap();
        if !line.is_empty() && line.len() + parameter.trim_end().len() > WIDTH {
            *line = line.trim_end().to_owned();
            lines.push(format!("    {parameter}"));
        } else {
            *line += parameter;
        }
    }
    format!("{comment}*/\n{}\n", lines.join("\n"))
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
