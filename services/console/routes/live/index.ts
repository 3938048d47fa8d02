import { liveEvents } from './events.ts';

/** `T/live/…`: rows for islands. */
export const livePages = [liveEvents];
