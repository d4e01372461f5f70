
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

// The numbers between two positive ones that are a digit times a power of ten.
function powers(from, to, digits) {
  const found = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    found.push(...digits.map((digit) => Number(digit + "e" + power)));
  }
  return found.filter((number) => number >= from * (1 - 1e-9) && number <= to * (1 + 1e-9));
}

// Round numbers for a logarithmic axis between two positive numbers, at most about `most`.
function logarithmicTicks(from, to, most) {
  const fine = powers(from, to, [1, 2, 5]);
  if (fine.length < 2) {
    // There are at least two multiples of the distance.
    const found = ticks(from, to, 5);
    return found.length <= most ? found : [found[0], found[found.length - 1]];
  }
  if (fine.length <= most) return fine;
  const tens = powers(from, to, [1]);
  if (tens.length < 2) return [fine[0], fine[fine.length - 1]];
  const step = Math.ceil(tens.length / Math.max(most, 2));
  return tens.filter((_, index) => index % step === 0);
}
