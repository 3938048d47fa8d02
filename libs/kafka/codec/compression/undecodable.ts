/** Bytes that can't be decoded; the message says why, and completes the sentence "the batch …". */
export class UndecodableError extends Error {}

/** Larger than may be taken into memory. */
export const tooLarge = (maxBytes: number): UndecodableError =>
  new UndecodableError(`has more than ${maxBytes} bytes when it is decompressed`);
