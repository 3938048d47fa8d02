import { signatureSchemes } from '#lib/signatures';
import { setSecrets, sources } from '../resources/source.ts';
import { rotateSecret } from '../settings/rotate-secret.ts';
import { settingsErrors } from '../settings/source-settings.ts';

/** `POST /v1/sources/{id}/rotate-secret`: the ingress knows of both secrets within seconds. */
export const rotateSourceSecret = rotateSecret({
  kind: 'sources',
  table: sources,
  generate: ({ scheme }, random) => signatureSchemes[scheme].generateSecret(random),
  hasKeys: () => false,
  setSecrets,
  secretErrors: ({ scheme, settings }, secret) =>
    settingsErrors(scheme, { settings, secret }).filter(({ field }) => field === '/secret'),
});
