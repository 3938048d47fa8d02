import { generateSecret } from '#lib/signatures';
import { secretErrors } from '../endpoint-settings.ts';
import { endpoints } from '../resources/endpoint.ts';
import { rotateSecret } from '../rotate-secret.ts';

/** `POST /v1/endpoints/{id}/rotate-secret`: within seconds, and until the overlap has passed, deliveries are signed with both secrets. */
export const rotateEndpointSecret = rotateSecret({
  kind: 'endpoints',
  table: endpoints,
  generate: (_row, random) => generateSecret(random),
  secretErrors: (_row, secret) => secretErrors(secret),
});
