import { events } from './events.ts';
import { eventPayload } from './payload.ts';
import { showEvent } from './show.ts';

/** `T/events`, and what is below it. */
export const eventPages = [events, showEvent, eventPayload];
