//! Positions of the parts of a chart.

use super::axis::{Axis, grouped, round_up};
use super::{Bar, CAPTION_HEIGHT, Chart, HEADER_HEIGHT, MARGIN, TEXT_SIZE, WIDTH};
use crate::svg::{Anchor, text_width};

/// Height that the rows of a chart share, as long as each stays within its limits.
const ROWS_HEIGHT: f64 = 900.0;
const MIN_ROW_HEIGHT: f64 = 2.0;
const MAX_ROW_HEIGHT: f64 = 34.0;
/// Rows below this height are drawn without space and stripes, which would cover the bars.
const COMFORTABLE_ROW_HEIGHT: f64 = 7.0;
/// Least distance of the base lines of two row labels.
const ROW_LABEL_PITCH: f64 = 15.0;
/// Longer row labels are cut.
const MAX_ROW_LABEL_WIDTH: f64 = 220.0;
/// Space between bars, taken off wide bars only.
const GAP: f64 = 1.5;
/// Least width of a bar, so that even a bar of length 0 is visible.
const MIN_BAR_WIDTH: f64 = 1.0;
/// Between a line and its caption.
const CAPTION_GAP: f64 = 5.0;

pub(super) struct Layout {
    pub(super) axis: Axis,
    /// Upper edge of the first row.
    pub(super) top: f64,
    pub(super) row_height: f64,
    pub(super) row_label_width: f64,
    rows: usize,
}

impl Layout {
    pub(super) fn new(chart: &Chart) -> Self {
        let label_widths = chart.rows.iter().map(|row| text_width(&row.label, TEXT_SIZE));
        let row_label_width = label_widths.fold(0.0, f64::max).min(MAX_ROW_LABEL_WIDTH);
        // An empty chart is drawn like one with an empty row.
        let rows = chart.rows.len().max(1);
        let left = MARGIN + row_label_width + 8.0;
        let right = WIDTH - MARGIN - 16.0;
        let tick_width = text_width(&grouped(chart.end()), TEXT_SIZE) + 28.0;
        let max_ticks = ((right - left) / tick_width).clamp(1.0, 12.0) as u64;
        Layout {
            axis: Axis::new(left, right, chart.end(), max_ticks),
            top: HEADER_HEIGHT + CAPTION_HEIGHT * chart.marks.len() as f64,
            row_height: (ROWS_HEIGHT / rows as f64).clamp(MIN_ROW_HEIGHT, MAX_ROW_HEIGHT),
            row_label_width,
            rows,
        }
    }

    /// Lower edge of the last row.
    pub(super) fn bottom(&self) -> f64 {
        self.row_top(self.rows)
    }

    pub(super) fn row_top(&self, row: usize) -> f64 {
        self.top + self.row_height * row as f64
    }

    pub(super) fn row_middle(&self, row: usize) -> f64 {
        self.row_top(row) + self.row_height / 2.0
    }

    /// Whether there is room for more than the bars.
    pub(super) fn is_comfortable(&self) -> bool {
        self.row_height >= COMFORTABLE_ROW_HEIGHT
    }

    /// Distance of the labelled rows, in rows.
    pub(super) fn row_label_step(&self) -> usize {
        round_up((ROW_LABEL_PITCH / self.row_height).ceil() as u64) as usize
    }

    pub(super) fn bar_height(&self) -> f64 {
        if self.is_comfortable() { self.row_height * 0.78 } else { self.row_height }
    }

    /// Upper edge of the bars of a row.
    pub(super) fn bar_top(&self, row: usize) -> f64 {
        self.row_middle(row) - self.bar_height() / 2.0
    }

    /// Left edge and width of a bar.
    pub(super) fn bar_extent(&self, bar: &Bar) -> (f64, f64) {
        let (start, end) = (self.axis.x(bar.start), self.axis.x(bar.end));
        let gap = if end - start > 4.0 * GAP { GAP } else { 0.0 };
        (start, (end - start - gap).max(MIN_BAR_WIDTH))
    }

    /// Position of the caption of a line at `x`: before the line, or after it if there is no room
    /// before.
    pub(super) fn caption_place(&self, x: f64, caption: &str) -> (f64, Anchor) {
        let before = x - CAPTION_GAP;
        if before - text_width(caption, TEXT_SIZE) >= MARGIN {
            (before, Anchor::End)
        } else {
            (x + CAPTION_GAP, Anchor::Start)
        }
    }
}
