/** The values of one case: a function of the seed and of the case's name, so that each case can be made again by itself. */
import fc from 'fast-check';
import { seedOf } from '../../support/seeded-random.ts';

export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

export function drawFor(seed: number, caseName: string): Draw {
  const [generate] = fc.sample(fc.gen(), { seed: seedOf(seed, caseName), numRuns: 1 }) as [fc.GeneratorValue];
  return (arbitrary) => generate(() => arbitrary);
}

/** One of the values, each as likely as the others. */
export const oneOf = <T>(draw: Draw, values: readonly T[]): T => draw(fc.constantFrom(...values));
