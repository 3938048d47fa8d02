/**
 * Random numbers that a seed repeats: uniform in [0, 1), by Tommy Ettinger's Mulberry32 generator. A test prints its seed, and a failure
 * can be looked at again with it.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of a part of a run, made of its name too: the part is the same alone as among others. */
export const seedOf = (seed: number, name: string): number =>
  [...name].reduce((mixed, letter) => Math.imul(mixed, 31) + letter.charCodeAt(0), seed) >>> 0;

export function randomHex(random: () => number, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}

/** In the form of a UUID, version 4. */
export function randomUuid(random: () => number): string {
  const hex = randomHex(random, 30);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

/** Fisher and Yates's shuffle; the given list stays as it is. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
