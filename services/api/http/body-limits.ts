import { maxPayloadBytes, maxSchemaBytes } from '#lib/contract';

const kibibyte = 1024;

/**
 * How many bytes the body of a request may have. A route names the limit that it needs (`bodyLimit`); one that names none has `usual`. Texts
 * are escaped in JSON: a character of a setting may take six bytes.
 */
export const bodyLimits = {
  /** A code, for anyone without a key. */
  redeem: 4 * kibibyte,
  usual: 64 * kibibyte,
  /** 1,000 networks, 100 fingerprints. */
  source: 128 * kibibyte,
  /** A certificate and its key (32 kB each), headers (16 kB), 100 event types and 100 sources, a filter. */
  endpoint: 256 * kibibyte,
  /** Descriptions and notes, of 20,000 characters each. */
  eventTypeTexts: 256 * kibibyte,
  /** The same with a schema and an example, which may be indented. */
  eventType: 256 * kibibyte + 4 * maxSchemaBytes,
  /** 10,000 ids. */
  ids: 512 * kibibyte,
  /** A payload, and the other fields of the request. */
  payload: maxPayloadBytes + 16 * kibibyte,
  /** A payload as base64, or as a text with escapes. */
  payloadAsText: 2 * maxPayloadBytes,
} as const;

/** Levels of lists and objects in a body. No request needs as many; code that walks a body recursively would overflow on a megabyte of brackets. */
export const maxLevels = 100;

/** The largest page of a list. */
export const maxPageItems = 1_000;
