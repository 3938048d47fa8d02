/** Runs have few endpoints: so that sets come in chunks all the same, and a fan-out can die between two of them. */
export const setsInChunks = { HOOKLINE_DISPATCHER_SET_CHUNK: '2' } as const;
