//! The steps of the figures, the errors that they prove, and the measured methods.

use makespan::recurrence::{Instance, Method, Options, Output, largest_fold, solve};
use makespan::{SolveOptions, recurrence};

use super::steps::{Example, Step};
use crate::common::{Result, engines};
use crate::recorded::{Lines, Place, unique};
use crate::report::{Report, digits, thousands};

/// A figure that shows steps.
pub(super) struct Figure {
    pub(super) item: &'static str,
    title: &'static str,
    words: &'static str,
    example: Example,
    /// The steps that the figure shows.
    shown: usize,
}

pub(super) const FIGURES: [Figure; 4] = [
    Figure {
        item: "figure-3",
        title: "Figure 3: the pipeline with offsets 6, 3, 1",
        words: "Steps 1 and 2 warm up; from step 3 on, all three threads work. ST[6] is complete \
                in step 3, and step 4 reads it.",
        example: Example { offsets: &[6, 3, 1], length: 12, fold: 1 },
        shown: 6,
    },
    Figure {
        item: "figure-4",
        title: "Figure 4: the worst case, offsets 5 to 1",
        words: "From step 5 on, all five threads read the same element.",
        example: Example { offsets: &[5, 4, 3, 2, 1], length: 12, fold: 1 },
        shown: 7,
    },
    Figure {
        item: "figure-5",
        title: "Figure 5: the pipeline with offsets 10, 8, 5",
        words: "ST[12] has three writers, in steps 3, 4 and 5. So steps 3 to 7 can't run at once, \
                although all that they read is complete at step 3.",
        example: Example { offsets: &[10, 8, 5], length: 17, fold: 1 },
        shown: 7,
    },
    Figure {
        item: "figure-7",
        title: "Figure 7: the 3-fold pipeline with offsets 10, 8, 5",
        words: "Nine threads, three for each offset. No element has two writers in a step. Here p = 3 is \
                the largest safe p.",
        example: Example { offsets: &[10, 8, 5], length: 22, fold: 3 },
        shown: 5,
    },
];

pub(super) fn figure(figure: &Figure, report: &mut Report) {
    report.heading(figure.title);
    report.paragraph(figure.words);
    let offsets = figure.example.offsets.len();
    let mut head = vec!["step".to_owned(), "head i".to_owned()];
    head.extend((0..offsets).map(|stage| format!("offset {}", figure.example.offsets[stage])));
    head.extend(["read by several threads".to_owned(), "complete".to_owned()]);
    let steps = figure.example.steps();
    let rows = steps.iter().take(figure.shown).zip(1..).map(|(step, number)| {
        let mut row = vec![number.to_string(), step.head.to_string()];
        row.extend((0..offsets).map(|stage| operations(step, stage, figure.example.fold)));
        row.push(conflicts(step));
        row.push(list(step.completed.iter().copied()));
        row
    });
    report.table(&head, &rows.collect::<Vec<_>>());
}

/// What the threads of a stage do.
fn operations(step: &Step, stage: usize, fold: usize) -> String {
    let of_stage = step.operations.iter().filter(|done| done.thread / fold == stage);
    let words = of_stage.map(|done| {
        let mark = if done.is_finished { "" } else { " **unfinished**" };
        let sign = if stage == 0 { "=" } else { "⊗=" };
        format!("ST[{}] {sign} ST[{}]{mark}", done.target, done.read)
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The elements that several threads read in a step.
fn conflicts(step: &Step) -> String {
    let reads = || step.operations.iter().map(|done| done.read);
    let several = unique(reads()).into_iter().filter_map(|read| {
        let count = reads().filter(|other| *other == read).count();
        (count > 1).then(|| format!("ST[{read}] by {count}"))
    });
    several.collect::<Vec<_>>().join(", ")
}

fn list(elements: impl Iterator<Item = usize>) -> String {
    elements.map(|element| format!("ST[{element}]")).collect::<Vec<_>>().join(" ")
}

/// Offsets of the paper's examples and some others.
const OFFSETS: [&[usize]; 4] = [&[6, 3, 1], &[10, 8, 5], &[40, 36, 30, 8], &[100, 99, 98]];

fn instance(offsets: &[usize], length: usize) -> Result<Instance> {
    let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
    let initial = (0..offsets[0]).map(|place| (place * 7 % 5) as i64).collect();
    Ok(Instance::new(recurrence::Semiring::MinPlus, offsets, initial, length as u64)?)
}

/// The largest safe fold, by the library and by steps.
pub(super) fn wrong_folds(report: &mut Report) {
    report.heading("Figure 6: a p-fold pipeline is not correct for every p");
    report.paragraph(
        "The paper says that its algorithm works correctly, without a condition on p. The steps of \
         a table of 2 a_0 + p elements were run with the largest safe p and the next one.",
    );
    let mut rows = Vec::new();
    for offsets in OFFSETS {
        let length = |fold| 2 * offsets[0] + fold;
        let safe = instance(offsets, length(1)).map_or(0, |instance| largest_fold(&instance));
        for fold in [safe as usize, safe as usize + 1] {
            let example = Example { offsets, length: length(fold), fold };
            let wrong = example.first_wrong_read();
            rows.push(vec![
                list_of_offsets(offsets),
                fold.to_string(),
                wrong.map_or_else(
                    || "only finished elements are read".to_owned(),
                    |(step, done)| {
                        format!(
                            "step {step}, thread {}: ST[{}] reads ST[{}], which is unfinished",
                            done.thread, done.target, done.read
                        )
                    },
                ),
            ]);
        }
    }
    report.table(&["offsets", "p", "first wrong read"], &rows);
}

fn list_of_offsets(offsets: &[usize]) -> String {
    offsets.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

pub(super) fn missed_elements(report: &mut Report) {
    report.paragraph(
        "Nor do its heads reach the end: the last one is (n - 1) + (k - 1) p, which suffices only \
         if p divides the number of elements. With p = 2 and offsets 10, 8, 5:",
    );
    let rows = [14, 15, 16, 17, 18, 19].map(|length| {
        let missed = Example { offsets: &[10, 8, 5], length, fold: 2 }.missed();
        let missed = match missed.is_empty() {
            true => "none".to_owned(),
            false => list(missed.into_iter()),
        };
        vec![length.to_string(), (length - 10).to_string(), missed]
    });
    report.table(&["n", "elements to fill", "without all operands at the end"], &rows);
}

/// Weights and profits of the example of Figure 8, of which the paper gives none.
const WEIGHTS: [u64; 3] = [3, 4, 2];
const PROFITS: [u64; 3] = [4, 5, 3];
const CAPACITY: u64 = 7;

pub(super) fn figure_8(report: &mut Report) -> Result<()> {
    report.heading("Figure 8: the table of the 0-1 knapsack");
    let instance = Instance::knapsack(WEIGHTS.to_vec(), PROFITS.to_vec(), CAPACITY)?;
    report.paragraph(&format!(
        "K = 3 items of weights 3, 4, 2 and values 4, 5, 3, and C = 7. Row i begins at element \
         i (C + 1) of the linear table, and ST[i, j] reads ST[i - 1, j] and, if item i fits, \
         ST[i - 1, j - w_i]. The paper expects p above C; the largest safe p is {}, which is \
         floor((C + 1 + w_min) / 2).",
        largest_fold(&instance)
    ));
    let core = engines::cpu(Some(1));
    let options = Options { method: Method::PFold, output: Output::Table, ..Options::default() };
    let outcome = solve(&core, &instance, &options, &SolveOptions::default())?;
    let table = outcome.solution.map(|solution| solution.values).unwrap_or_default();
    let rows: Vec<Vec<String>> = table
        .chunks(CAPACITY as usize + 1)
        .enumerate()
        .map(|(row, values)| {
            let first = format!("i = {row}, from ST[{}]", row as u64 * (CAPACITY + 1));
            std::iter::once(first).chain(values.iter().map(i64::to_string)).collect()
        })
        .collect();
    let mut head = vec![String::new()];
    head.extend((0..=CAPACITY).map(|load| format!("j = {load}")));
    report.table(&head, &rows);
    Ok(())
}

pub(super) fn methods(lines: &Lines, report: &mut Report) {
    report.heading("The methods, measured");
    report.paragraph(
        "The paper has no measurements. Milliseconds for 100,000 elements after the initial ones, \
         (min,+) with random weights; k offsets, p the largest safe fold. A step waits for the one \
         before. *Blocked* is the default for weights that have no pattern.",
    );
    measured(lines, "methods", report);
}

pub(super) fn knapsack(lines: &Lines, report: &mut Report) {
    report.heading("The linearised knapsack, measured");
    report.paragraph(
        "Milliseconds for the last element; weights to 1,000. *Blocked* takes a row at a time.",
    );
    measured(lines, "knapsack", report);
}

fn measured(lines: &Lines, class: &str, report: &mut Report) {
    let places = lines.places(class);
    let mut head = ["instance", "method", "steps", "threads"].map(str::to_owned).to_vec();
    head.extend(places.iter().map(|place| lines.label(place)));
    let rows = unique(lines.of(class).map(|line| (line.instance.clone(), line.method.clone())));
    let rows =
        rows.into_iter().map(|(name, method)| {
            let at = |place: &Place| {
                lines.of(class).find(|line| {
                    line.instance == name && line.method == method && line.place() == *place
                })
            };
            let count = |counter| {
                let counts = places.iter().filter_map(|place| at(place)?.count(counter));
                counts.max().map_or_else(String::new, thousands)
            };
            let mut row = vec![name.clone(), method.clone(), count("steps"), count("threads")];
            row.extend(places.iter().map(|place| {
                at(place).map_or_else(String::new, |line| digits(line.seconds * 1e3))
            }));
            row
        });
    report.table(&head, &rows.collect::<Vec<_>>());
}
