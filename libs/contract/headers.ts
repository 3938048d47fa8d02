/** Every Kafka header that Hookline writes, in this one place: `hookline-` and a lower-case name. All values are UTF-8 text. */
export const header = {
  tenant: 'hookline-tenant',
  sourceId: 'hookline-source-id',
  receiptId: 'hookline-receipt-id',
  /** Microseconds since the epoch, decimal. */
  receivedAt: 'hookline-received-at',
  contentType: 'hookline-content-type',
  /** JSON object of the sender's HTTP headers, lower-case names, credentials left out. */
  httpHeaders: 'hookline-http-headers',
  /** JSON array, see Locator in received-webhook.ts. */
  identifyBy: 'hookline-identify-by',
  typeBy: 'hookline-type-by',
  dedupTtlSeconds: 'hookline-dedup-ttl-seconds',
  orderingKey: 'hookline-ordering-key',
  /** topic-partition-offset of the record as the ingress first wrote it; absent on that record itself. */
  origin: 'hookline-origin',
  traceparent: 'traceparent',

  eventId: 'hookline-event-id',
  eventType: 'hookline-event-type',
  deliveryId: 'hookline-delivery-id',
  endpointId: 'hookline-endpoint-id',
  /** Decimal: 0 or absent, and one more for each replay. */
  generation: 'hookline-generation',
  /** Microseconds since the epoch, decimal: when the delivery was created, from which its retry window counts. */
  createdAt: 'hookline-created-at',
  /** On a dead letter's record that was replayed: the stage that it is for. Who else reads the topic has had it. */
  replayFor: 'hookline-replay-for',

  deadLetterStage: 'hookline-dl-stage',
  deadLetterReason: 'hookline-dl-reason',
  deadLetterAttempts: 'hookline-dl-attempts',
  deadLetterOrigin: 'hookline-dl-origin',
  deadLetterAt: 'hookline-dl-at',
} as const;

/** Of a record that belongs to a trace; empty where there is none. */
export const traceHeaders = (traceparent: string | undefined): Record<string, string> =>
  traceparent === undefined || traceparent === '' ? {} : { [header.traceparent]: traceparent };

/** Headers of a record as text; a name that comes twice keeps its last value. */
export type HeaderText = Readonly<Record<string, string>>;
