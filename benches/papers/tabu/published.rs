//! Table 2 of the paper: speed-ups of prefix reuse over the method of Czapiński and Barnes.
//!
//! Some digits of the printed table are hard to read. 0.05 of 150 jobs is 0.95, and 13 and 1.3 of 900 jobs and
//! 1,000 generations are 1.5, which the abstract calls the best speed-up.

pub(super) struct Row {
    pub(super) jobs: usize,
    pub(super) machines: usize,
    /// By [`GENERATIONS`]: with 16 and with 48 KB of local memory.
    pub(super) speed_ups: [[f64; 2]; 3],
}

impl Row {
    /// As lines name the instance.
    pub(super) fn size(&self) -> String {
        format!("{}x{}", self.jobs, self.machines)
    }
}

pub(super) const GENERATIONS: [u64; 3] = [10, 100, 1000];

const fn row(jobs: usize, machines: usize, speed_ups: [[f64; 2]; 3]) -> Row {
    Row { jobs, machines, speed_ups }
}

pub(super) const TABLE_2: [Row; 8] = [
    row(100, 15, [[0.82, 0.83], [0.65, 0.64], [0.61, 0.61]]),
    row(150, 20, [[0.94, 0.95], [0.87, 0.87], [0.85, 0.85]]),
    row(200, 25, [[1.01, 1.01], [1.03, 1.03], [1.03, 1.03]]),
    row(350, 25, [[1.11, 1.12], [1.28, 1.28], [1.33, 1.33]]),
    row(500, 30, [[1.15, 1.14], [1.30, 1.30], [1.34, 1.34]]),
    row(650, 30, [[1.15, 1.14], [1.32, 1.32], [1.36, 1.36]]),
    row(800, 35, [[1.20, 1.20], [1.35, 1.34], [1.37, 1.37]]),
    row(900, 40, [[1.31, 1.31], [1.47, 1.47], [1.50, 1.50]]),
];
