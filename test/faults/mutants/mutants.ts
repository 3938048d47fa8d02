import { answeringMutants } from './answering.ts';
import { deliveringMutants } from './delivering.ts';
import { fuzzingMutants } from './fuzzing.ts';
import type { Mutant } from './mutant.ts';
import { projectingMutants } from './projecting.ts';
import { receivingMutants } from './receiving.ts';
import { sendingMutants } from './sending.ts';
import { tracingMutants } from './tracing.ts';

/** Each of them must be seen. */
export const mutants: readonly Mutant[] = [
  ...sendingMutants,
  ...receivingMutants,
  ...deliveringMutants,
  ...projectingMutants,
  ...answeringMutants,
  ...fuzzingMutants,
  ...tracingMutants,
];
