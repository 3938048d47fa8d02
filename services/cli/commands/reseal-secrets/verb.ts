import { flag, verb } from '../../verb.ts';

export const resealSecrets = verb({
  summary: 'Encrypt all secrets with the first encryption key',
  description:
    'Encrypts all secrets at rest with the first of HOOKLINE_ENCRYPTION_KEYS, so that the other keys can be removed: secrets of sources and endpoints (deleted ones too, while they have any), private settings of endpoints, and stored answers of idempotency keys. Safe beside running services, and safe to repeat.\n\nExits 1 if no key of the list opens a secret or an answer: it keeps its encryption.',
  options: { 'dry-run': flag('count, and change nothing') },
  run: async (values, _given, context) => (await import('./reseal-secrets.ts')).resealAll(values, context),
});
