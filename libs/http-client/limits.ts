/** Limits of a request, whatever the server does. The caller's limit covers all phases up to the head of the response. */

/** Two SYNs: the first is repeated after 1 s, the second after 3 s. Looking up the name has a limit of its own (name-resolver.ts). */
export const connectLimitMs = 3_000;
export const proxyLimitMs = 3_000;
export const tlsLimitMs = 3_000;

/** The status is the result; the body only helps people who read the attempt, and is not worth a longer wait. */
export const bodyLimitMs = 1_000;
export const maxExcerptBytes = 8 * 1024;
/** A body that ends by then is read to its end: the connection is worth more than these bytes. */
export const maxBodyBytes = 64 * 1024;

export const maxHeadBytes = 16 * 1024;
/** Answers before the answer (1xx). */
export const maxInterimAnswers = 32;

export const maxStreamsPerConnection = 100;
/** Below the five seconds after which many servers close: a request sent at that moment is lost with its connection. */
export const idleLimitMs = 4_000;
/** Limit for servers that ask for longer idle times (`Keep-Alive: timeout=…`). */
export const maxIdleLimitMs = 60_000;
