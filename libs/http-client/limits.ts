/** Limits on a request, whatever the server does. The caller's own limit covers all phases up to the answer's head. */

/** Two SYNs: the first is repeated after 1 s, the second after 3 s. Looking up the name has a limit of its own (name-resolver.ts). */
export const connectLimitMs = 3_000;
export const proxyLimitMs = 3_000;
export const tlsLimitMs = 3_000;

/** The status is the answer; the body is for whoever reads the attempt, and not worth holding a connection for. */
export const bodyLimitMs = 1_000;
export const maxExcerptBytes = 8 * 1024;
/** A body that ends by then is read to its end: the connection is worth more than these bytes. */
export const maxBodyBytes = 64 * 1024;

export const maxHeadBytes = 16 * 1024;
/** Answers before the answer (1xx). */
export const maxInterimAnswers = 32;

export const maxStreamsPerConnection = 100;
/** Below the five seconds after which many servers close: what is sent as they do so is lost with its connection. */
export const idleLimitMs = 4_000;
/** For servers that ask for longer (`Keep-Alive: timeout=…`). */
export const maxIdleLimitMs = 60_000;
