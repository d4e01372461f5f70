//! Compiler messages for a program that begins with the user's text.

/// Most errors to show.
const MOST: usize = 5;

/// The first errors in the user's lines: the `lines` lines after the first `before` ones. Later
/// errors in the family's sources would only follow from them. Without errors in the user's lines,
/// the very first error: it may name something that the text does not define.
pub(super) fn head(log: &str, family: &str, before: usize, lines: usize) -> String {
    let errors = errors(log);
    // Compilers that support `#line` name the family's sources; others number lines consecutively.
    let sources = format!("{family}[");
    let own_lines = before + 1..=before + lines;
    let is_own =
        |place: &Place<'_>| own_lines.contains(&place.line) && !place.file.contains(&sources);
    let own = |error: &Vec<&str>| {
        let place = Place::of(error[0]).filter(is_own)?;
        let line = place.line - before;
        let first = format!("line {line}, column {}: {}", place.column, place.message);
        Some([&[&first[..]], &error[1..]].concat().join("\n"))
    };
    let own: Vec<String> = errors.iter().filter_map(own).take(MOST).collect();
    match errors.first() {
        _ if !own.is_empty() => own.join("\n"),
        Some(first) => format!("in the kernels that follow it: {}", first.join("\n")),
        None if log.is_empty() => "the driver does not say why".into(),
        None => log.into(),
    }
}

/// Reads the fuzzer's log. Its first byte is the number of the user's lines.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(data: &[u8]) {
    let Some((lines, log)) = data.split_first() else { return };
    assert!(!head(&String::from_utf8_lossy(log), "family", 2, usize::from(*lines)).is_empty());
}

/// The errors of a log, each with its lines up to the next error.
fn errors(log: &str) -> Vec<Vec<&str>> {
    let mut errors: Vec<Vec<&str>> = Vec::new();
    // PoCL's last line only repeats that the build failed.
    for line in log.lines().filter(|line| !line.ends_with("failed to build the program")) {
        // NVIDIA's linker starts its errors with `ptxas fatal`.
        if line.contains("error: ") || line.starts_with("ptxas fatal") {
            errors.push(vec![line]);
        } else if let Some(error) = errors.last_mut() {
            error.push(line);
        }
    }
    errors
}

/// A message and its position.
struct Place<'l> {
    file: &'l str,
    line: usize,
    column: usize,
    message: &'l str,
}

impl<'l> Place<'l> {
    /// Parses `FILE:LINE:COLUMN: error: MESSAGE`, as Clang writes it, or `error: FILE:LINE:COLUMN:
    /// MESSAGE`, as PoCL does.
    fn of(line: &'l str) -> Option<Self> {
        let message = line.rsplit("error: ").next()?;
        line.split(": ").find_map(|part| {
            let mut numbers = part.rsplitn(3, ':');
            let column = numbers.next()?.parse().ok()?;
            let line = numbers.next()?.parse().ok()?;
            let message =
                message.strip_prefix(part).map_or(message, |rest| rest.trim_start_matches(": "));
            Some(Place { file: numbers.next()?, line, column, message })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLANG: &str = "input.cl:3:19: error: use of undeclared identifier 'rihgt'\n    return left + rihgt;\n      ^\n\
        input.cl:4:1: warning: unused\ninput.cl:99:1: error: expected '}'\n^\ninput.cl:2:1: note: to match this";
    const POCL: &str = "error: /cache/tempfile_x.cl:3:19: use of undeclared identifier: 'rihgt'\n\
        error: family[1]:2:1: expected expression\nDevice x failed to build the program";

    #[test]
    fn errors_are_those_of_the_users_lines() {
        let expected = "line 3, column 19: use of undeclared identifier 'rihgt'\n    return left + rihgt;\n      ^\n\
            input.cl:4:1: warning: unused";
        assert_eq!(head(CLANG, "family", 0, 4), expected);
        assert_eq!(
            head(POCL, "family", 0, 4),
            "line 3, column 19: use of undeclared identifier: 'rihgt'"
        );
        let single = "error: x.cl:1:2: no\nDevice x failed to build the program";
        assert_eq!(head(single, "family", 0, 4), "line 1, column 2: no");
        let second = head(POCL, "family", 2, 1);
        assert_eq!(
            second, "line 1, column 19: use of undeclared identifier: 'rihgt'",
            "after two other lines"
        );
    }

    #[test]
    fn without_any_the_first_one_is_shown() {
        let begin = |log, lines| head(log, "family", 0, lines).lines().next().map(str::to_owned);
        let first = "in the kernels that follow it: input.cl:3:19: error: use of undeclared identifier 'rihgt'";
        assert_eq!(begin(CLANG, 2).as_deref(), Some(first));
        let first = "in the kernels that follow it: error: family[1]:2:1: expected expression";
        assert_eq!(
            begin("error: family[1]:2:1: expected expression\nand so on", 2).as_deref(),
            Some(first)
        );
        let linker = "ptxas fatal   : Unresolved extern function 'twice'";
        let log =
            format!("<kernel>:8:45: warning: implicit declaration of function 'twice'\n{linker}");
        assert_eq!(head(&log, "family", 0, 2), format!("in the kernels that follow it: {linker}"));
        assert_eq!(head("", "family", 0, 2), "the driver does not say why");
        assert_eq!(head("no more memory", "family", 0, 2), "no more memory");
    }

    #[test]
    fn many_errors_are_cut() {
        let log: Vec<String> = (1..=30).map(|line| format!("a:{line}:1: error: no")).collect();
        assert_eq!(head(&log.join("\n"), "family", 0, 30).lines().count(), MOST);
    }
}
