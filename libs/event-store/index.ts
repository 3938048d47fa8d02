export { type EventRef, run, type Statement } from './statement.ts';
export { type ClockReading, type ClockRequest, changesChannel, takeClocks } from './take-clocks.ts';
export { type GrownKey, insertEvents, type NewEvent } from './insert-events.ts';
