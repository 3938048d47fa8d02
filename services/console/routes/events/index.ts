import { events } from './events.ts';

/** `T/events`, and what is below it. */
export const eventPages = [events];
