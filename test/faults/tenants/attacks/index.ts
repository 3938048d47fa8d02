import type { Attack } from '../attack.ts';
import { changes } from './changes.ts';
import { filters } from './filters.ts';
import { heldPolls } from './held-polls.ts';
import { manyRequests } from './many-requests.ts';
import { slowEndpoints } from './slow-endpoints.ts';
import { slowReplays } from './slow-replays.ts';
import { wideEvent } from './wide-event.ts';

/** In the order in which they are prepared. */
export const attacks: readonly Attack[] = [
  slowEndpoints,
  slowReplays,
  filters,
  changes,
  manyRequests,
  heldPolls,
  wideEvent,
];
