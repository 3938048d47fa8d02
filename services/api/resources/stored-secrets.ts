import { secretsContext, type StoredPublicKey, type StoredSecret } from '#lib/contract';
import { formatMicros, parseRfc3339, type RandomBytes } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import { generatePrivateKey, publicKeyOf } from '#lib/signatures';

/** The owner of secrets: they decrypt for their own row alone. */
interface Owner {
  table: 'sources' | 'endpoints';
  tenant: string;
  id: string;
}

/** Each costs an HMAC over every incoming or outgoing body. */
export const maxSecretsInForce = 5;

export const sealSecrets = (box: SecretBox, { table, tenant, id }: Owner, secrets: readonly StoredSecret[]): Buffer =>
  box.seal(JSON.stringify(secrets), secretsContext(table, tenant, id));

export const openSecrets = (box: SecretBox, { table, tenant, id }: Owner, sealed: Buffer): StoredSecret[] =>
  JSON.parse(box.open(sealed, secretsContext(table, tenant, id))) as StoredSecret[];

/** The one that is not about to end. */
export const currentSecret = (secrets: readonly StoredSecret[]): string | undefined =>
  secrets.find(({ expires_at }) => expires_at === undefined)?.secret;

/** With a private key if deliveries carry an Ed25519 signature too. */
export const newSecret = (secret: string, ed25519: boolean, random: RandomBytes): StoredSecret => ({
  secret,
  ...(ed25519 && { private_key: generatePrivateKey(random) }),
});

/** Switching on gives the current secret a private key; switching off removes them all, so deliveries carry no such signature any more. */
export const switchEd25519 = (stored: readonly StoredSecret[], on: boolean, random: RandomBytes): StoredSecret[] =>
  stored.map((one) => {
    const { private_key: privateKey, ...bare } = one;
    if (!on) return bare;
    return privateKey === undefined && one.expires_at === undefined ? newSecret(one.secret, on, random) : one;
  });

export const publicKeysOf = (stored: readonly StoredSecret[]): StoredPublicKey[] =>
  stored.flatMap(({ private_key: privateKey, expires_at }) => {
    const key = privateKey === undefined ? undefined : publicKeyOf(privateKey);
    return key === undefined ? [] : [{ key, ...(expires_at !== undefined && { expires_at }) }];
  });

interface Rotation {
  to: StoredSecret;
  nowMicros: number;
  overlapSeconds: number;
}

/**
 * The new secret first, then the valid ones, each until the end of the overlap at most. This also shortens an earlier rotation, because an
 * overlap of 0 must stop a leaked secret. Repeating a rotation changes only the end: valid secrets keep their private keys.
 */
export function rotateSecrets(
  stored: readonly StoredSecret[],
  { to, nowMicros, overlapSeconds }: Rotation,
): { secrets: StoredSecret[]; previousExpiresAt: string | null } {
  const endMicros = nowMicros + overlapSeconds * 1_000_000;
  const inForce = stored.filter((one) => endOf(one) > nowMicros);
  const known = inForce.find(({ secret }) => secret === to.secret);
  const previous = inForce
    .filter(({ secret }) => secret !== to.secret)
    .map((one) => ({ ...one, endMicros: Math.min(endOf(one), endMicros) }))
    .filter((one) => one.endMicros > nowMicros);
  const lastMicros = Math.max(...previous.map((one) => one.endMicros));
  return {
    secrets: [
      known?.private_key === undefined ? to : { ...to, private_key: known.private_key },
      ...previous.map(({ endMicros, ...one }) => ({ ...one, expires_at: formatMicros(endMicros) })),
    ],
    previousExpiresAt: previous.length === 0 ? null : formatMicros(lastMicros),
  };
}

const endOf = ({ expires_at: expiresAt }: StoredSecret): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : (parseRfc3339(expiresAt) ?? Number.NEGATIVE_INFINITY);
