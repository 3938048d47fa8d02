import { generateSecret } from '#lib/signatures';
import type { Operation } from '../openapi/operation.ts';
import { endpoints, setSecrets } from '../resources/endpoint.ts';
import { secretErrors } from '../settings/judge-endpoint.ts';
import { rotateSecret } from '../settings/rotate-secret.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'rotateEndpointSecret',
  summary: 'Rotate the secret of an endpoint; during the overlap, deliveries are signed with both secrets',
  answers: { 200: { is: 'The new secret', body: 'RotatedSecret' } },
  errors: ['conflict'],
  conditional: true,
};

/**
 * `POST /v1/endpoints/{id}/rotate-secret`: within seconds, and until the overlap has passed, deliveries are signed with both secrets, and
 * with the Ed25519 key of each.
 */
export const rotateEndpointSecret = rotateSecret({
  operation,
  capability: 'secrets',
  kind: 'endpoints',
  table: endpoints,
  generate: (_row, random) => generateSecret(random),
  hasKeys: ({ settings }) => settings.ed25519 ?? false,
  setSecrets,
  secretErrors: (_row, secret) => secretErrors(secret),
});
