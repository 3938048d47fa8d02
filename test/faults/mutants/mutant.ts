import type { Edit } from './edits/index.ts';

/** A way in which the system could be wrong, and what must see that it is: in one lane at least. */
export type Mutant = Defect & ({ byDay: TestCheck; byNight?: Check } | { byDay?: undefined; byNight: Check });

interface Defect {
  name: string;
  edits: readonly Edit[];
  /** Each check must see it within so many seconds, and a minute for a wait that is in vain. */
  budgetSeconds: number;
}

/** By day: a test of `make test`. By night: a fault run, or a test of `make test-nightly`. */
export const lanes = ['day', 'night'] as const;
export type Lane = (typeof lanes)[number];

export type Check = RunCheck | TestCheck;

/** A run of test/faults, always with the same seed. */
export interface RunCheck {
  run: 'prove' | 'receiving' | 'delivering' | 'idempotency' | 'overload' | 'replay' | 'fuzzing' | 'system' | 'tenants';
  scenario?: string;
  numbers?: Readonly<Record<string, number>>;
  /** One of these must be found, by the name that the run gives it; any other is welcome. */
  seenAs: readonly string[];
}

/** A jest test that must fail. */
export interface TestCheck {
  /** Its file. */
  test: string;
  /** Part of the titles of the tests; at least one of them must fail. */
  title: string;
  /** The title as the file has it, where a table of the test fills it in. */
  written?: string;
}

/** One of the checks that must see a mutant. */
export interface MutantCheck {
  mutant: Mutant;
  lane: Lane;
  check: Check;
}

export const checksOf = (mutants: readonly Mutant[]): MutantCheck[] =>
  mutants.flatMap((mutant) => {
    const { byDay, byNight } = mutant;
    const checks = { day: byDay, night: byNight };
    return lanes.flatMap((lane) => {
      const check = checks[lane];
      return check === undefined ? [] : [{ mutant, lane, check }];
    });
  });

export const nameOfCheck = (check: Check): string =>
  'run' in check ? [`--run ${check.run}`, check.scenario].filter(Boolean).join(' ') : check.test;
