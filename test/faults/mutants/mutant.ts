/** A way in which the system could be wrong, and what must see that it is. */
export interface Mutant {
  name: string;
  edits: readonly Edit[];
  check: RunCheck | TestCheck;
  /** It must be seen within so many seconds, and a minute for a wait that is in vain. */
  budgetSeconds: number;
}

export interface Edit {
  file: string;
  /** Must stand in the file once. */
  find: string;
  replace: string;
}

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
