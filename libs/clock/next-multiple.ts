/** The first multiple of `everyMs` after `nowMs`. */
export const nextMultiple = (everyMs: number, nowMs: number): number => (Math.floor(nowMs / everyMs) + 1) * everyMs;
