//! The Markdown of a paper's tables and figures, with its charts.

use crate::chart::Chart;

/// Which tables and figures are asked for; all of them if none is named.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a>(pub(crate) &'a [String]);

impl Items<'_> {
    pub(crate) fn has(self, item: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|asked| asked == item)
    }
}

#[derive(Default)]
pub(crate) struct Report {
    /// The folder of the charts, as links of the Markdown have it.
    links: String,
    /// What follows the names of files.
    suffix: String,
    pub(crate) markdown: String,
    /// Names of files, and what is in them.
    charts: Vec<(String, String)>,
}

impl Report {
    pub(crate) fn new(links: &str, suffix: &str) -> Self {
        Report { links: links.to_owned(), suffix: suffix.to_owned(), ..Report::default() }
    }

    pub(crate) fn heading(&mut self, words: &str) {
        self.paragraph(&format!("### {words}"));
    }

    pub(crate) fn paragraph(&mut self, words: &str) {
        if !self.markdown.is_empty() {
            self.markdown.push('\n');
        }
        self.markdown += words;
        self.markdown.push('\n');
    }

    pub(crate) fn table<H: AsRef<str>>(&mut self, head: &[H], rows: &[Vec<String>]) {
        let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
        let mut lines = vec![line(&head), line(&vec!["---"; head.len()])];
        for row in rows {
            lines.push(line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        self.paragraph(&lines.join("\n"));
    }

    pub(crate) fn chart(&mut self, name: &str, chart: &Chart) {
        let file = format!("{name}{}.svg", self.suffix);
        self.paragraph(&format!("![{}]({}{file})", chart.title, self.links));
        self.charts.push((file, chart.svg()));
    }

    /// The names and contents of all files of a paper.
    pub(crate) fn files(&self, paper: &str) -> Vec<(String, String)> {
        let mut files = self.charts.clone();
        files.push((format!("{paper}{}.md", self.suffix), self.markdown.clone()));
        files
    }
}

fn line(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |", cells.join(" | "))
}

/// Three digits.
pub(crate) fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let power = value.abs().log10().floor() as i32;
    match power {
        3.. => thousands(value.round() as u64),
        -3..=2 => format!("{value:.0$}", (2 - power) as usize),
        _ => format!("{value:.2e}"),
    }
}

/// With commas.
pub(crate) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
