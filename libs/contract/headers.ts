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
  generation: 'hookline-generation',
  /** Microseconds since the epoch, decimal: when the delivery was created, from which its retry window counts. */
  createdAt: 'hookline-created-at',

  deadLetterStage: 'hookline-dl-stage',
  deadLetterReason: 'hookline-dl-reason',
  deadLetterAttempts: 'hookline-dl-attempts',
  deadLetterOrigin: 'hookline-dl-origin',
  deadLetterAt: 'hookline-dl-at',
} as const;

/** Headers of a record as text; a name that comes twice keeps its last value. */
export type HeaderText = Readonly<Record<string, string>>;
