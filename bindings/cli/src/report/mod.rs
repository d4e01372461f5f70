//! The report: one HTML page without any outside source. It has the JSON object, and a script that
//! draws all numbers from it.

use serde::Serialize;

use crate::failure::Failure;
use crate::wording::Wording;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// Parts of one script, in the order of their dependencies.
const SCRIPTS: [&str; 10] = [
    include_str!("elements.js"),
    include_str!("scale.js"),
    include_str!("plan.js"),
    include_str!("bars.js"),
    include_str!("pinch.js"),
    include_str!("chart.js"),
    include_str!("tree.js"),
    include_str!("convergence.js"),
    include_str!("tables.js"),
    include_str!("main.js"),
];

/// Facts on the page that the JSON object lacks.
#[derive(Serialize)]
pub(crate) struct About<'a> {
    #[serde(skip)]
    instance: &'a str,
    size: &'a str,
    objective: &'a str,
    /// How far the objective is from the optimum at most.
    quality: Option<String>,
    kind: Option<&'a str>,
    /// Of the times.
    unit: Option<&'a str>,
}

impl<'a> About<'a> {
    pub(crate) fn new(instance: &'a str, wording: &'a Wording, quality: Option<String>) -> Self {
        let Wording { size, objective, kind, unit } = wording;
        About { instance, size, objective, quality, kind: *kind, unit: unit.as_deref() }
    }
}

/// The page for a result.
pub(crate) fn page(json: &str, about: &About<'_>) -> Result<String, Failure> {
    let described = serde_json::to_string(about)
        .map_err(|error| Failure::other(format!("the report can't be written: {error}")))?;
    Ok(filled(PAGE, |place| match place {
        "title" => in_html(about.instance),
        "size" => in_html(about.size),
        "style" => STYLE.to_owned(),
        "script" => SCRIPTS.concat(),
        "about" => in_script(&described),
        "result" => in_script(json.trim_end()),
        _ => String::new(),
    }))
}

/// The template with texts in its places, which look like `{{title}}`. Texts are taken as they are,
/// whether or not they look like places.
fn filled(template: &str, text: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (place, rest) = part.split_once("}}").unwrap_or(("", part));
        page += &text(place);
        page += rest;
    }
    page
}

/// Text of an HTML element.
fn in_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON in a script element, which `</script>` and `<!--` would end or change. Only strings have
/// such letters, so that the escape has the same meaning.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The text of the element of a page with this beginning.
    fn element<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
        let (_, rest) = page.split_once(start).unwrap();
        rest.split_once(end).unwrap().0
    }

    fn page_of(instance: &str, json: &str) -> String {
        let wording = Wording {
            kind: Some("search-tree"),
            unit: Some("</script>".into()),
            ..Wording::new("3 jobs & 2 <machines>".into(), "makespan")
        };
        page(json, &About::new(instance, &wording, None)).unwrap()
    }

    #[test]
    fn hostile_names_stay_text() {
        let name = "<b>&\"'</script><!--{{result}}\u{2028}";
        let result = json!({ "instance": name, "solution": { "job_names": [name, "]]>"] } });
        let page = page_of(name, &(result.to_string() + "\n"));
        let shown = element(&page, "<h1>", "</h1>");
        assert_eq!(shown, "&lt;b&gt;&amp;\"'&lt;/script&gt;&lt;!--{{result}}\u{2028}");
        let inside = element(&page, "id=\"result\">", "</script>");
        assert_eq!(serde_json::from_str::<Value>(inside).unwrap(), result);
        assert!(!inside.contains('<'));
        let about = element(&page, "id=\"about\">", "</script>");
        let about: Value = serde_json::from_str(about).unwrap();
        assert_eq!(about["unit"], "</script>");
        assert_eq!(about["kind"], "search-tree");
        assert_eq!(page.matches("</script>").count(), 3);
    }

    #[test]
    fn the_page_needs_nothing_from_outside() {
        let page = page_of("name", "{}");
        for outside in ["http://", "https://", " src=", "@import", "url(", "<link"] {
            let allowed = ["http://www.w3.org/2000/svg", "url(#"];
            let text = allowed.iter().fold(page.clone(), |text, part| text.replace(part, ""));
            assert!(!text.contains(outside), "{outside}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn places_are_filled_once() {
        let text = |place: &str| if place == "a" { "{{b}}".to_owned() } else { "B".to_owned() };
        assert_eq!(filled("x{{a}}y{{b}}z", text), "x{{b}}yBz");
    }
}
