import { announcingMutants } from './announcing.ts';
import { answeringMutants } from './answering.ts';
import { consumingMutants } from './consuming.ts';
import { decodingMutants } from './decoding.ts';
import { deliveringMutants } from './delivering.ts';
import { endingLoopsMutants } from './ending-loops.ts';
import { erasingMutants } from './erasing.ts';
import { fanningOutMutants } from './fanning-out.ts';
import { followingMutants } from './following.ts';
import { fuzzingMutants } from './fuzzing.ts';
import { losingMutants } from './losing.ts';
import type { Mutant } from './mutant.ts';
import { projectingMutants } from './projecting.ts';
import { receivingMutants } from './receiving.ts';
import { replayingMutants } from './replaying.ts';
import { sendingMutants } from './sending.ts';
import { sharingWorkMutants } from './sharing-work.ts';
import { showingMutants } from './showing.ts';
import { sharingMutants } from './sharing.ts';
import { tracingMutants } from './tracing.ts';
import { waitingApartMutants } from './waiting-apart.ts';
import { wakingMutants } from './waking.ts';

/** Each of them must be seen. */
export const mutants: readonly Mutant[] = [
  ...sendingMutants,
  ...consumingMutants,
  ...decodingMutants,
  ...receivingMutants,
  ...deliveringMutants,
  ...fanningOutMutants,
  ...projectingMutants,
  ...losingMutants,
  ...followingMutants,
  ...replayingMutants,
  ...answeringMutants,
  ...fuzzingMutants,
  ...sharingMutants,
  ...tracingMutants,
  ...sharingWorkMutants,
  ...announcingMutants,
  ...showingMutants,
  ...erasingMutants,
  ...endingLoopsMutants,
  ...waitingApartMutants,
  ...wakingMutants,
];
