import type { ReceivedWebhook } from '#lib/contract';

export const webhookOf = (given: Partial<ReceivedWebhook> & { body: Buffer }): ReceivedWebhook => ({
  tenant: 'default',
  sourceId: 'src_1',
  receiptId: 'rcp_1',
  receivedAt: 1_700_000_000_000_000,
  contentType: 'application/json',
  contentEncoding: null,
  httpHeaders: {},
  sealedHeaders: {},
  identifyBy: [{ pointer: '/id' }],
  countedWith: null,
  identifiesForm: false,
  typeBy: [{ pointer: '/type' }],
  tagsBy: {},
  request: null,
  trail: [],
  dedupTtlSeconds: 3600,
  orderingKey: null,
  traceparent: '',
  origin: null,
  ...given,
});
