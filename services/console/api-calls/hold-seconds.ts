/**
 * How long the API holds a request that waits for changes; a script says only that it may be held. A console that stops waits for those that
 * run, and has less than twenty seconds for it.
 */
export const holdSeconds = 10;
