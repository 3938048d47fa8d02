import { maxPayloadBytes } from '#lib/contract';

/** How many bytes a form may have. */
export const formLimits = {
  /** For those who have not signed in. */
  public: 16 * 1024,
  /** The largest is that of an endpoint, with a certificate and its key. */
  usual: 256 * 1024,
  /** For pages that take a payload (`takesPayload`): a character of it can take three. */
  payload: 3 * maxPayloadBytes + 64 * 1024,
} as const;
