//! The README's code and links are right.

const README: &str = include_str!("../README.md");

#[test]
fn the_c_example_is_the_one_that_is_built() {
    let example = include_str!("../examples/parallel_machines.c");
    assert!(README.contains(&format!("```c\n{example}```\n")));
}

#[test]
fn the_links_lead_somewhere() {
    let links = README.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let missing: Vec<_> = links
        .filter(|link| !link.starts_with("http") && !std::path::Path::new(link).exists())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
