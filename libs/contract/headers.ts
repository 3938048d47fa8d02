/** Every Kafka header that Hookline writes, in this one place: `hookline-` and a lower-case name. All values are UTF-8 text. */
export const header = {
  tenant: 'hookline-tenant',
  sourceId: 'hookline-source-id',
  receiptId: 'hookline-receipt-id',
  /** Microseconds since the epoch, decimal. */
  receivedAt: 'hookline-received-at',
  contentType: 'hookline-content-type',
  /** Absent where the body has none. */
  contentEncoding: 'hookline-content-encoding',
  /** JSON object of the sender's HTTP headers, lower-case names, credentials left out. */
  httpHeaders: 'hookline-http-headers',
  /** JSON object, see sealed-headers.ts; absent where there are none. */
  sealedHeaders: 'hookline-sealed-headers',
  /** JSON, see ReceivedRequest in webhook-request.ts: what the object of headers does not have of the request. */
  request: 'hookline-request',
  /** JSON array, see Locator in webhook-identity.ts. */
  identifyBy: 'hookline-identify-by',
  /** JSON object, see webhook-identity.ts; absent where `hookline-identify-by` has the whole rule. */
  dedupRule: 'hookline-dedup-rule',
  typeBy: 'hookline-type-by',
  /** JSON object of locators by the names of tags; absent where the source makes none. */
  tagsBy: 'hookline-tags-by',
  dedupTtlSeconds: 'hookline-dedup-ttl-seconds',
  orderingKey: 'hookline-ordering-key',
  /** topic-partition-offset of the record as the ingress first wrote it; absent on that record itself. */
  origin: 'hookline-origin',
  /** See trail.ts; absent for an empty trail. On a received webhook as it came, on a delivery with the event's own source. */
  trail: 'hookline-trail',
  traceparent: 'traceparent',

  eventId: 'hookline-event-id',
  eventType: 'hookline-event-type',
  deliveryId: 'hookline-delivery-id',
  endpointId: 'hookline-endpoint-id',
  /** Decimal: 0 or absent, and one more for each replay. */
  generation: 'hookline-generation',
  /** `1` on a delivery whose first attempt somebody waits for: it passes the queue and the breaker of its endpoint. */
  urgent: 'hookline-urgent',
  /** Microseconds since the epoch, decimal: when the delivery was created, from which its retry window counts. */
  createdAt: 'hookline-created-at',
  /** JSON array of the provider's headers that the endpoint asks for; absent where there are none. See pass-headers.ts. */
  passedHeaders: 'hookline-passed-headers',
  /** The same of those whose values are sealed. */
  passedCredentials: 'hookline-passed-credentials',
  /** On an event that was fanned out by whoever published it: JSON, see event-set.ts. */
  fanOut: 'hookline-fan-out',
  /** On a replayed dead letter: the stage that it is for. Other readers of the topic have had the record already. */
  replayFor: 'hookline-replay-for',

  deadLetterStage: 'hookline-dl-stage',
  deadLetterReason: 'hookline-dl-reason',
  deadLetterAttempts: 'hookline-dl-attempts',
  deadLetterOrigin: 'hookline-dl-origin',
  deadLetterAt: 'hookline-dl-at',
  /** The value that a dead letter had before it was shortened, because Kafka refused it whole: bytes (decimal) and SHA-256 (hex). */
  deadLetterBytes: 'hookline-dl-bytes',
  deadLetterSha256: 'hookline-dl-sha256',
  /** JSON array of the headers that were cut or left out; absent where all are as they were. */
  deadLetterCutHeaders: 'hookline-dl-cut-headers',
  /** On the dead letter of a batch that could not be decoded, see undecodable-batch.ts: where it stood, and all of its offsets, `first-last`. */
  deadLetterTopic: 'hookline-dl-topic',
  deadLetterPartition: 'hookline-dl-partition',
  deadLetterOffsets: 'hookline-dl-offsets',
  deadLetterCompression: 'hookline-dl-compression',
  deadLetterProblem: 'hookline-dl-problem',
} as const;

/** The trace header of a record; empty if the record belongs to no trace. */
export const traceHeaders = (traceparent: string | undefined): Record<string, string> =>
  traceparent === undefined || traceparent === '' ? {} : { [header.traceparent]: traceparent };

/** Headers of a record as text; a name that comes twice keeps its last value. */
export type HeaderText = Readonly<Record<string, string>>;

/** The text as the value of a header. A sender chose it, and a header takes printable ASCII: the rest as its UTF-8 bytes in percent-encoding. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, (rest) =>
    [...Buffer.from(rest)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
