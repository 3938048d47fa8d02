import { rotateEndpointSecret } from '#lib/api-contract';
import { generateSecret } from '#lib/signatures';
import { endpoints, setSecrets } from '../resources/endpoint.ts';
import { secretErrors } from '../settings/judge-endpoint.ts';
import { rotateSecret } from '../settings/rotate-secret.ts';

/**
 * `POST /v1/endpoints/{id}/rotate-secret`: within seconds, and until the overlap has passed, deliveries are signed with both secrets, and
 * with the Ed25519 key of each.
 */
export const rotateSecretOfEndpoint = rotateSecret({
  operation: rotateEndpointSecret,
  kind: 'endpoints',
  table: endpoints,
  generate: (_row, random) => generateSecret(random),
  hasKeys: ({ settings }) => settings.ed25519 ?? false,
  setSecrets,
  secretErrors: (_row, secret) => secretErrors(secret),
});
