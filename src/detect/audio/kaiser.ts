/** The Kaiser window at `x`, -1 to 1 from end to end; 0 outside. @param beta shape: larger damps the side lobes more */
export const kaiserWindow = (x: number, beta: number): number =>
  Math.abs(x) > 1 ? 0 : besselI0(beta * Math.sqrt(1 - x * x)) / besselI0(beta)

/** Modified Bessel function of the first kind, order 0, by its power series; terms below 1e-17 of the sum change no bit. */
function besselI0(x: number): number {
  const quarter = (x * x) / 4
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= quarter / (k * k)
    sum += term
  }
  return sum
}
