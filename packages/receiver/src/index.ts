export type { Claim, OnceOptions, OnceStore } from './accept-once.ts';
export { fastifyRoute } from './fastify-route.ts';
export { fetchHandler } from './fetch-handler.ts';
export type { HeaderValues, RequestHeaders } from './headers.ts';
export { nodeListener } from './node-listener.ts';
export { type PostgresClient, type PostgresStore, type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
export { createReceiver, type Receiver, type ReceiverOptions, type Reply, type WebhookHandler } from './receiver.ts';
export { type RedisClient, type RedisStoreOptions, redisStore } from './redis-store.ts';
export {
  type ReceivedRequest,
  type RejectionCode,
  type Scheme,
  type Verification,
  type VerifyOptions,
  verifyWebhook,
} from './verify-webhook.ts';
export type { Webhook } from './webhook.ts';
