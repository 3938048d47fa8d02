/** A body for each operation that takes one, by its id: the page's commands send it, and it is valid as it stands. */
export const exampleBodies: Readonly<Record<string, object>> = {
  createSource: { name: 'Shop', scheme: 'standard-webhooks' },
  updateSource: { name: 'Shop, production' },
  rotateSourceSecret: { overlap_seconds: 86_400 },
  verifyWebhook: { headers: { 'X-Hub-Signature-256': 'sha256=0' }, body: '{"zen":"Keep it logically awesome."}' },
  sampleWebhook: { body: '{"zen":"Keep it logically awesome."}' },
  createEndpoint: { url: 'https://example.com/webhooks', event_types: ['order.*'] },
  updateEndpoint: { description: 'Orders', timeout_ms: 10_000 },
  rotateEndpointSecret: { overlap_seconds: 86_400 },
  pauseEndpoint: { until: '2030-01-01T00:00:00Z' },
  recoverEndpoint: { since: '2026-01-01T00:00:00Z' },
  testEndpoint: { type: 'order.paid', payload: { id: 'ord_1' } },
  publishEvent: { type: 'order.paid', payload: { id: 'ord_1' }, tags: { customer: 'c_1' } },
  createEventType: { name: 'order.paid', description: 'An order has been paid.' },
  updateEventType: { category: 'Orders' },
  renameEventType: { to: 'order.settled' },
  mergeEventType: { into: 'order.paid' },
  publishEventTypeVersion: { schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
  importEventTypes: { document: { 'order.paid': { type: 'object' } }, dry_run: true },
  retryDeliveries: { filter: { status: 'dead_lettered' }, dry_run: true },
  cancelDeliveries: { all: true, dry_run: true },
  replayEvents: { filter: { type: 'order.paid' }, dry_run: true },
  replayDeadLetters: { stage: 'dispatcher', dry_run: true },
  createErasure: { filter: { type: 'order.paid' }, dry_run: true },
  createApiKey: { name: 'publisher', scopes: ['publish'] },
  createSession: { scopes: ['read'], expires_in_seconds: 3_600 },
  redeemSession: { code: 'a code of POST /v1/sessions' },
  createPortalLink: { capabilities: ['view', 'replay'] },
  redeemPortalLink: { code: 'a code of POST /v1/portal-links', dry_run: true },
  putTenant: { name: 'Acme' },
};

/** A value for each query parameter that an operation requires. */
export const exampleParameters: Readonly<Record<string, string>> = {
  filter: '{"id":{"$exists":true}}',
};
