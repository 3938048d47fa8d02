import { formatMicros, parseRfc3339 } from '#lib/clock';
import { secretsContext, type StoredSecret } from '#lib/contract';
import type { SecretBox } from '#lib/secret-box';

/** Whose secrets: they open for their own row alone. */
interface Owner {
  table: 'sources' | 'endpoints';
  tenant: string;
  id: string;
}

/** Each costs an HMAC over every body that comes, or goes. */
export const maxSecretsInForce = 5;

export const sealSecrets = (box: SecretBox, { table, tenant, id }: Owner, secrets: readonly StoredSecret[]): Buffer =>
  box.seal(JSON.stringify(secrets), secretsContext(table, tenant, id));

export const openSecrets = (box: SecretBox, { table, tenant, id }: Owner, sealed: Buffer): StoredSecret[] =>
  JSON.parse(box.open(sealed, secretsContext(table, tenant, id))) as StoredSecret[];

/** The one that is not about to end. */
export const currentSecret = (secrets: readonly StoredSecret[]): string | undefined =>
  secrets.find(({ expires_at }) => expires_at === undefined)?.secret;

interface Rotation {
  secret: string;
  nowMicros: number;
  overlapSeconds: number;
}

/**
 * The new secret first, then those that are in force now, each until the end of the overlap at the latest: what an earlier rotation left
 * valid for longer ends with it, because an overlap of 0 is how a secret that has leaked is stopped. The same rotation once more changes
 * nothing but the end.
 */
export function rotateSecrets(
  stored: readonly StoredSecret[],
  { secret, nowMicros, overlapSeconds }: Rotation,
): { secrets: StoredSecret[]; previousExpiresAt: string | null } {
  const endMicros = nowMicros + overlapSeconds * 1_000_000;
  const previous = stored
    .map((one) => ({ secret: one.secret, endMicros: Math.min(endOf(one), endMicros) }))
    .filter((one) => one.secret !== secret && one.endMicros > nowMicros);
  const lastMicros = Math.max(...previous.map((one) => one.endMicros));
  return {
    secrets: [{ secret }, ...previous.map((one) => ({ secret: one.secret, expires_at: formatMicros(one.endMicros) }))],
    previousExpiresAt: previous.length === 0 ? null : formatMicros(lastMicros),
  };
}

const endOf = ({ expires_at: expiresAt }: StoredSecret): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : (parseRfc3339(expiresAt) ?? Number.NEGATIVE_INFINITY);
