/**
 * Runs have few endpoints: so that some events are fanned out at once and others by the consumer all the same, some of their sets come in chunks,
 * and a fan-out can die between two of them.
 */
export const smallSets = { HOOKLINE_FAN_OUT_AT_ONCE: '2', HOOKLINE_DISPATCHER_SET_CHUNK: '2' } as const;
