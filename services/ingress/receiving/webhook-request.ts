import type { FastifyRequest } from 'fastify';
import { clientCertificateOf, withoutPort } from '#lib/net';
import type { Sender } from '../sources/sender-gate.ts';

export type WebhookRequest = FastifyRequest<{ Params: { source_id: string }; Querystring: Record<string, unknown> }>;

export const senderOf = (request: WebhookRequest): Sender => ({
  // Undefined, against its type, where the connection has ended by now.
  address: withoutPort(request.ip ?? ''),
  certificate: () => clientCertificateOf(request.raw.socket),
});
