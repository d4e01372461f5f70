
// Fingers on a chart: two of them zoom and move it.

class Pinch {
  constructor() {
    this.fingers = new Map();
  }

  get isOn() {
    return this.fingers.size > 1;
  }

  press({ pointerId, clientX, clientY }) {
    this.fingers.set(pointerId, [clientX, clientY]);
  }

  lift({ pointerId }) {
    this.fingers.delete(pointerId);
  }

  // How far two fingers are apart, and where their middle is across the screen.
  span() {
    const [[x, y], [otherX, otherY]] = this.fingers.values();
    return { length: Math.max(Math.hypot(x - otherX, y - otherY), 1), middle: (x + otherX) / 2 };
  }

  // Moves a finger. Returns the factor between the distances, and where the middle was and is; null
  // unless two fingers are on the chart.
  move(event) {
    if (!this.fingers.has(event.pointerId)) return null;
    const before = this.isOn ? this.span() : null;
    this.press(event);
    if (!before) return null;
    const after = this.span();
    return { factor: after.length / before.length, from: before.middle, to: after.middle };
  }
}
