//! What the kernels of a text of OpenCL C take, for comparison with their declarations.

use std::collections::{BTreeMap, BTreeSet};

use super::arguments::{Declared, Forms, in_a_row};

/// The kernels of a text without comments by name, each with the lists of parameters that the
/// macros in its own list allow. A macro with several definitions, one for each case of an `#if`,
/// allows several.
pub(crate) fn signatures(text: &str) -> BTreeMap<String, Forms> {
    let text = text.replace("\\\n", " ");
    let macros = Macros::of(&text);
    let mut kernels = BTreeMap::new();
    for_each_kernel(&text, |name, list, _| {
        assert!(!list.contains(&"#"), "{name}: a macro must say what depends on #if");
        let mut forms = macros.parameters(list);
        forms.sort();
        assert!(kernels.insert(name.to_owned(), forms).is_none(), "two {name}");
    });
    kernels
}

/// The names of the kernels of a text without comments.
pub(crate) fn kernel_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for_each_kernel(text, |name, _, _| names.push(name.to_owned()));
    names
}

/// For each kernel of a text, the parameters of which it takes its part, itself or by macros.
pub(crate) fn parts_taken(text: &str) -> BTreeMap<String, Vec<String>> {
    let text = text.replace("\\\n", " ");
    let macros = Macros::of(&text);
    let mut kernels = BTreeMap::new();
    for_each_kernel(&text, |name, _, body| {
        kernels.insert(name.to_owned(), macros.taken(body));
    });
    kernels
}

/// Calls `visit` with the name of each kernel, the tokens of its parameters and those of its body.
fn for_each_kernel(text: &str, mut visit: impl FnMut(&str, &[&str], &[&str])) {
    let code: Vec<_> =
        text.lines().filter(|line| !line.starts_with("#define")).flat_map(tokens).collect();
    for (at, token) in code.iter().enumerate() {
        if matches!(*token, "kernel" | "__kernel") {
            // Attributes stand before the type of the result.
            let name = at + 1 + code[at..].iter().position(|&token| token == "void").unwrap();
            let parameters = in_parentheses(&code[name + 1..]);
            // Behind the name, the two parentheses and the opening brace.
            let body = &code[name + parameters.len() + 4..];
            let end = body.iter().position(|token| matches!(*token, "kernel" | "__kernel"));
            visit(code[name], parameters, &body[..end.unwrap_or(body.len())]);
        }
    }
}

/// Names, numbers, and other characters one by one.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let end = rest.find(|other: char| !other.is_ascii_alphanumeric() && other != '_');
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()).max(rest.len().min(1)));
        rest = after;
        Some(token).filter(|token| !token.is_empty())
    })
}

/// What is between the first of the tokens, an opening parenthesis, and its closing one.
fn in_parentheses<'t, 'a>(tokens: &'t [&'a str]) -> &'t [&'a str] {
    assert_eq!(tokens[0], "(");
    let mut depth = 0;
    let closes = tokens.iter().position(|&token| {
        depth += i32::from(token == "(") - i32::from(token == ")");
        depth == 0
    });
    &tokens[1..closes.unwrap()]
}

/// Definitions of macros by name.
struct Macros<'a>(BTreeMap<&'a str, Vec<Definition<'a>>>);

/// The name of the argument, if there is one, and the text.
type Definition<'a> = (Option<&'a str>, Vec<&'a str>);

impl<'a> Macros<'a> {
    fn of(text: &'a str) -> Macros<'a> {
        let mut macros = Macros(BTreeMap::new());
        for definition in text.lines().filter_map(|line| line.strip_prefix("#define ")) {
            let all: Vec<_> = tokens(definition).collect();
            // A parenthesis right behind the name begins its arguments.
            let argument = definition[all[0].len()..].starts_with('(').then(|| all[2]);
            let text = all[if argument.is_some() { 4.min(all.len()) } else { 1 }..].to_vec();
            macros.0.entry(all[0]).or_default().push((argument, text));
        }
        macros
    }

    /// The names in `TAKE_PART(name)`, in ascending order. A macro has those of all its
    /// definitions.
    fn taken(&self, tokens: &[&str]) -> Vec<String> {
        let mut taken = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            if *token == "TAKE_PART" {
                taken.push(tokens[at + 2].to_owned());
            } else if token.starts_with("TAKE_") {
                let all = self.0[token].iter().flat_map(|(_, text)| self.taken(text));
                taken.extend(all.collect::<BTreeSet<_>>());
            }
        }
        taken.sort();
        taken
    }

    /// The parameter lists that these tokens can expand to.
    fn parameters(&self, list: &[&str]) -> Forms {
        let mut depth = 0;
        let pieces = list.split(|&token| {
            depth += i32::from(token == "(") - i32::from(token == ")");
            depth == 0 && token == ","
        });
        in_a_row(pieces.filter(|piece| !piece.is_empty()).map(|piece| {
            if let Some(forms) = self.expanded(piece) {
                return forms;
            }
            // Macros that begin with a comma stand right behind a parameter.
            let behind = (2..piece.len()).find_map(|at| Some((at, self.expanded(&piece[at..])?)));
            let (end, forms) = behind.unwrap_or((piece.len(), vec![Vec::new()]));
            in_a_row([vec![vec![parameter(&piece[..end])]], forms])
        }))
    }

    /// The lists for tokens that are nothing but macros, some with an argument. A parameter is not:
    /// it has a name.
    fn expanded(&self, mut piece: &[&str]) -> Option<Forms> {
        let mut macros = Vec::new();
        while let Some((name, rest)) = piece.split_first() {
            let definitions = self.0.get(name)?;
            let given = if rest.first() == Some(&"(") { in_parentheses(rest) } else { &[] };
            piece = if given.is_empty() { rest } else { &rest[given.len() + 2..] };
            macros.push((definitions, given));
        }
        let forms = |(definitions, given): (&Vec<Definition<'_>>, &[&str])| -> Forms {
            let forms = definitions.iter().flat_map(|(argument, text)| {
                let replaced = text.iter().flat_map(|token| match argument {
                    Some(argument) if argument == token => given,
                    _ => std::slice::from_ref(token),
                });
                self.parameters(&replaced.copied().collect::<Vec<_>>())
            });
            forms.collect()
        };
        Some(in_a_row(macros.into_iter().map(forms)))
    }
}

fn parameter(tokens: &[&str]) -> Declared {
    let plain = |token: &&str| !matches!(*token, "const" | "volatile" | "restrict");
    let words: Vec<_> =
        tokens.iter().map(|token| token.trim_start_matches('_')).filter(plain).collect();
    let (space, element, name) = match words[..] {
        [element, name] => ("", element, name),
        [space @ ("global" | "local"), element, "*", name] => (space, element, name),
        _ => panic!("a parameter {tokens:?}"),
    };
    Declared { name: name.to_owned(), space: space.to_owned(), element: element.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let one = |one: &Declared| format!("{} {} {}", one.space, one.element, one.name);
        let all = signatures(text).into_iter().flat_map(|(name, forms)| {
            forms.into_iter().map(move |form| {
                format!("{name}: {}", form.iter().map(one).collect::<Vec<_>>().join(","))
            })
        });
        all.collect()
    }

    #[test]
    fn kernels_are_found_with_their_parameters() {
        let text = "
            static uint f(uint a) { return a; }
            __kernel void two(__global const cell_t *restrict a,\n ulong b) { f(b); }
            kernel __attribute__((reqd_work_group_size(WAVE, 1, 1))) void one(
                volatile global uint2 *some, local uint *scratch) {}";
        let expected =
            ["one: global uint2 some,local uint scratch", "two: global cell_t a, ulong b"];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn each_part_that_a_kernel_takes_is_found() {
        let text = "
#if LB2
#define TAKE_PAIRS TAKE_PART(ends); TAKE_PART(pairs)
#else
#define TAKE_PAIRS TAKE_PART(ends)
#endif
#define TAKE_TILE TAKE_PART(tile); TAKE_PAIRS
            kernel void none(local uint *a) { f(a); }
            kernel void twice(local uint *a) { TAKE_PART(a); TAKE_PART(a); }
            kernel void tile(local uint *b) { TAKE_PART(b); TAKE_TILE; }";
        let found: Vec<_> = parts_taken(text).into_iter().collect();
        let expected = [
            ("none", vec![]),
            ("tile", vec!["b", "ends", "pairs", "tile"]),
            ("twice", vec!["a", "a"]),
        ];
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        assert_eq!(found, expected.map(|(name, parts)| (name.to_owned(), owned(parts))));
    }

    #[test]
    fn macros_stand_for_parameters() {
        let text = "
#define VALUE int
#if PARTS == 1
#define TABLE global VALUE *part_0
#else
#define TABLE \\
global VALUE *part_0, \\
global VALUE *part_1
#endif
#define BOX(CELL) global CELL *box, uint size
#define MORE , uint more
#define MORE
kernel void all(TABLE, BOX(const ushort), VALUE own MORE) {}
#define PAIR TABLE MORE
kernel void pair(PAIR) {}";
        let (part, parts) = ("global VALUE part_0", "global VALUE part_0,global VALUE part_1");
        let more = ", uint more";
        assert_eq!(
            found(text),
            [
                format!("all: {part},global ushort box, uint size, VALUE own"),
                format!("all: {part},global ushort box, uint size, VALUE own{more}"),
                format!("all: {parts},global ushort box, uint size, VALUE own"),
                format!("all: {parts},global ushort box, uint size, VALUE own{more}"),
                format!("pair: {part}"),
                format!("pair: {part}{more}"),
                format!("pair: {parts}"),
                format!("pair: {parts}{more}"),
            ]
        );
    }
}
