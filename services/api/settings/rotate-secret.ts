import type { rotateEndpointSecret, rotateSourceSecret } from '#lib/api-contract';
import type { StoredSecret } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { RandomBytes } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import { changeOf } from '../http/etag.ts';
import { optionalBody } from '../http/patch-body.ts';
import { type FieldErrors, sendInvalid, sendProblem } from '../http/send-problem.ts';
import type { Named, ResourceRow, ResourceTable } from '../resources/resource-table.ts';
import { maxSecretsInForce, newSecret, openSecrets, rotateSecrets } from '../resources/stored-secrets.ts';
import { type Route, serve } from '../route.ts';

type Rotation = typeof rotateSourceSecret | typeof rotateEndpointSecret;

/** The kind of resource whose secrets are rotated. A portal session may not choose a secret: its secrets are generated. */
interface Rotated<Row extends ResourceRow> {
  operation: Rotation;
  kind: 'sources' | 'endpoints';
  table: Pick<ResourceTable<Row>, 'change'>;
  generate(row: Row, random: RandomBytes): string;
  /** Whether a pair of keys goes with each secret. */
  hasKeys(row: Row): boolean;
  setSecrets(tx: Query, secretBox: SecretBox, named: Named, secrets: readonly StoredSecret[]): Promise<unknown>;
  secretErrors(row: Row, secret: string): FieldErrors;
}

const day = 24 * 3600;

/** `POST …/{id}/rotate-secret`: the only answer that shows the new secret. The former ones stay valid until the overlap has passed. */
export const rotateSecret = <Row extends ResourceRow>({
  operation,
  kind,
  table,
  generate,
  hasKeys,
  setSecrets,
  secretErrors,
}: Rotated<Row>): Route =>
  serve(
    operation,
    ({ secretBox, clock, random }) =>
      async (request, reply) => {
        const { tenant, idempotent } = request;
        const { overlap_seconds: overlapSeconds = day, secret: given } = request.body;
        if (given !== undefined && request.caller.session?.portal !== undefined)
          return sendInvalid(reply, [{ field: '/secret', message: 'can’t be chosen in the portal' }]);

        const result = await table.change(idempotent.effects, changeOf(request), async (row, tx) => {
          const secret = given ?? generate(row, random);
          const errors = secretErrors(row, secret);
          if (errors.length > 0) return { errors };
          const owner = { table: kind, tenant, id: row.id };
          const stored = openSecrets(secretBox, owner, row.secrets);
          const to = newSecret(secret, hasKeys(row), random);
          const { secrets, previousExpiresAt } = rotateSecrets(stored, {
            to,
            nowMicros: clock.nowMs() * 1000,
            overlapSeconds,
          });
          if (secrets.length > maxSecretsInForce) return { inForce: secrets.length - 1 };
          await setSecrets(tx, secretBox, owner, secrets);
          await request.audit(tx, { id: row.id, after: { previous_expires_at: previousExpiresAt } });
          return { rotated: { secret, previous_expires_at: previousExpiresAt } };
        });
        if ('refused' in result) return sendProblem(reply, result.refused);
        const { errors, inForce, rotated } = result.changed;
        if (errors !== undefined) return sendInvalid(reply, errors);
        if (inForce !== undefined) return sendProblem(reply, 'conflict', tooMany(inForce));
        return rotated;
      },
    () => ({ preValidation: optionalBody }),
  );

const tooMany = (inForce: number): string =>
  `${inForce} secrets are valid: wait until one expires, or end all of them with overlap_seconds 0`;
