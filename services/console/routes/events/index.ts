import { eraseEvent } from './erase.ts';
import { showErasure } from './erasure.ts';
import { events } from './events.ts';
import { eventPayload } from './payload.ts';
import { publishEvent } from './publish.ts';
import { replayEvent } from './replay.ts';
import { searchEvents } from './search.ts';
import { showEvent } from './show.ts';

/** `T/events`, and what is below it; `T/erasures/{id}`. */
export const eventPages = [
  events,
  searchEvents,
  publishEvent,
  showEvent,
  eventPayload,
  replayEvent,
  eraseEvent,
  showErasure,
];
