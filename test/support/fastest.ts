/**
 * Other work delays a call by chance; what is slow by itself is slow each time.
 *
 * @param measure gives how long one call took, in milliseconds
 * @returns the least of three
 */
export async function fastestOfThreeMs(measure: () => Promise<number>): Promise<number> {
  return Math.min(await measure(), await measure(), await measure());
}
