import { groupCases } from './group-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { requestCases } from './request-cases.ts';
import { openWorld, type Subject, type World, type WorldOptions } from './world.ts';

/**
 * One promise of the plugin over any store. A check fails by throwing: a suite runs it on correct stores, and a mutant's test on wrong
 * ones.
 */
export interface Case {
  /** Scenarios that are known from elsewhere, by the names that they have there. */
  ids?: readonly string[];
  title: string;
  check(given: Given): Promise<void>;
}

interface Given {
  subject: Subject;
  open(options?: WorldOptions): Promise<World>;
}

export const cases: readonly Case[] = [...requestCases, ...leaseCases, ...groupCases];

export const caseOf = (title: string): Case => {
  const found = cases.find((one) => one.title === title);
  if (found === undefined) throw new Error(`there is no case ${title}`);
  return found;
};

/** @param mutate what is wrong with every world of this check */
export async function runCase(
  { check }: Case,
  subject: Subject,
  mutate: (options: WorldOptions) => WorldOptions = (options) => options,
): Promise<void> {
  const worlds: World[] = [];
  try {
    await check({
      subject,
      open: async (options = {}) => {
        const world = await openWorld(subject, mutate(options));
        worlds.push(world);
        return world;
      },
    });
  } finally {
    await Promise.all(worlds.map((world) => world.close()));
  }
}

export function describeIdempotency(name: string, createSubject: () => Promise<Subject> | Subject): void {
  describe(`idempotent requests (${name})`, () => {
    it.each(cases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
      await runCase(one, await createSubject());
    });
  });
}
