
// Round numbers for the axes.

// The least of 1, 2, 5, 10, 20, ... that is not below a positive number.
function roundUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= number * (1 - 1e-9));
}

// Multiples of a round distance between two numbers, at most about `most`.
function ticks(from, to, most, least) {
  if (!(to > from)) return [from];
  const distance = Math.max(least || 0, roundUp((to - from) / Math.max(most, 1)));
  const first = Math.ceil(from / distance - 1e-9);
  // Counted before, since large numbers do not grow by 1.
  const count = Math.floor((to - first * distance) / distance + 1e-9) + 1;
  const found = Array.from({ length: Math.min(Math.max(count, 0), 2 * most + 2) },
    (_, index) => Number(((first + index) * distance).toPrecision(12)));
  return [...new Set(found)];
}

// Powers of ten between two positive numbers.
function powers(from, to) {
  const found = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    const number = Number("1e" + power);
    if (number >= from * (1 - 1e-9) && number <= to * (1 + 1e-9)) found.push(number);
  }
  return found;
}
