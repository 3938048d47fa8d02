import { signatureSchemes } from '#lib/signatures';
import type { Operation } from '../openapi/operation.ts';
import { setSecrets, sources } from '../resources/source.ts';
import { rotateSecret } from '../settings/rotate-secret.ts';
import { settingsErrors } from '../settings/source-settings.ts';

const operation: Operation = {
  tag: 'Sources',
  id: 'rotateSourceSecret',
  summary: 'Rotate the secret of a source; the previous secret stays valid during the overlap',
  answers: { 200: { is: 'The new secret', body: 'RotatedSecret' } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/sources/{id}/rotate-secret`: the ingress knows of both secrets within seconds. */
export const rotateSourceSecret = rotateSecret({
  operation,
  kind: 'sources',
  table: sources,
  generate: ({ scheme }, random) => signatureSchemes[scheme].generateSecret(random),
  hasKeys: () => false,
  setSecrets,
  secretErrors: ({ scheme, settings }, secret) =>
    settingsErrors(scheme, { settings, secret }).filter(({ field }) => field === '/secret'),
});
