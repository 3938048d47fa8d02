/**
 * The names of span attributes: OpenTelemetry's semantic conventions if they have one. A test compares them with the package of
 * conventions, whose two thousand names are not loaded at run time.
 */
export const attribute = {
  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  urlScheme: 'url.scheme',
  urlPath: 'url.path',
  httpMethod: 'http.request.method',
  httpResendCount: 'http.request.resend_count',
  httpStatus: 'http.response.status_code',
  httpRoute: 'http.route',
  messagingSystem: 'messaging.system',
  messagingOperationName: 'messaging.operation.name',
  messagingOperationType: 'messaging.operation.type',
  messagingDestination: 'messaging.destination.name',
  messagingPartition: 'messaging.destination.partition.id',
  messagingGroup: 'messaging.consumer.group.name',
  messagingBatchCount: 'messaging.batch.message_count',
  messagingBodySize: 'messaging.message.body.size',
  messagingOffset: 'messaging.kafka.offset',

  tenant: 'hookline.tenant',
  sourceId: 'hookline.source.id',
  receiptId: 'hookline.receipt.id',
  eventId: 'hookline.event.id',
  endpointId: 'hookline.endpoint.id',
  deliveryId: 'hookline.delivery.id',
  attempt: 'hookline.attempt',
  /** One of few outcomes. */
  outcome: 'hookline.outcome',
} as const;
