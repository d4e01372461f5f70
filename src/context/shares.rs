use std::ops::Range;

use crate::DeviceSpeeds;
use crate::opencl::Device;

/// How fast devices are, compared with each other. Those of one name count as equal: their measured
/// speeds differ by chance.
pub(crate) fn rates(devices: &[&Device], rate: impl Fn(&DeviceSpeeds) -> f64) -> Vec<f64> {
    let are_measured = devices.iter().all(|device| device.speeds().measured);
    let rate_of = |device: &&Device| {
        let name = &device.info().name;
        let first = devices.iter().find(|other| other.info().name == *name).unwrap_or(device);
        match are_measured {
            true => rate(&first.speeds()),
            // An estimate is no match for a measured speed.
            false => rate(&DeviceSpeeds::estimate(first.info(), false)),
        }
    };
    devices.iter().map(rate_of).collect()
}

/// Cuts `count` units among devices with these rates, in order. A slow device may get none.
pub(crate) fn shares(count: usize, rates: &[f64]) -> Vec<Range<usize>> {
    let all: f64 = rates.iter().sum();
    let (mut before, mut begin) = (0.0, 0);
    let share = |(index, rate): (usize, &f64)| {
        before += rate;
        let is_last = index + 1 == rates.len();
        let end = if is_last { count } else { (count as f64 * before / all).round() as usize };
        let share = begin..end.clamp(begin, count);
        begin = share.end;
        share
    };
    rates.iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_units_once_and_follow_the_rates() {
        for rates in [&[1.0][..], &[1.0, 1.0], &[1.0, 3.0], &[5.0, 1e-9, 2.0], &[1.0; 7]] {
            for count in (0..70).chain([1024, 99_999]) {
                let shares = shares(count, rates);
                assert!(shares.iter().cloned().flatten().eq(0..count));
                for (share, rate) in shares.iter().zip(rates) {
                    let fair = count as f64 * rate / rates.iter().sum::<f64>();
                    assert!((share.len() as f64 - fair).abs() <= 1.0, "{rates:?} {count}");
                }
            }
        }
    }
}
