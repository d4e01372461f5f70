//! How far values are from better ones.

/// By how much a value exceeds another one, in percent of that.
pub(crate) fn deviation(value: i64, reference: i64) -> f64 {
    (value as f64 / reference as f64 - 1.0) * 100.0
}

/// Mean and worst deviation.
pub(crate) fn summary(deviations: impl IntoIterator<Item = f64>) -> String {
    let deviations: Vec<f64> = deviations.into_iter().collect();
    let worst = deviations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = deviations.iter().sum::<f64>() / deviations.len() as f64;
    match deviations.len() {
        0 => "none".to_owned(),
        count => format!("mean {mean:.2} %, worst {worst:.2} % of {count}"),
    }
}
