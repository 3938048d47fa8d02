import { type Capability, wholeNumber } from '#lib/api-contract';
import type { StoredSecret } from '#lib/contract';
import type { RandomBytes } from '#lib/ids';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { changeOf } from '../http/etag.ts';
import { optionalBody } from '../http/optional-body.ts';
import { type FieldErrors, sendInvalid, sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Named, ResourceRow, ResourceTable } from '../resources/resource-table.ts';
import { maxSecretsInForce, newSecret, openSecrets, rotateSecrets } from '../resources/stored-secrets.ts';
import { type Route, route } from '../route.ts';
import { secret } from './fields.ts';

interface Body {
  overlap_seconds?: number;
  secret?: string;
}

/** The kind of resource whose secrets are rotated. */
interface Rotated<Row extends ResourceRow> {
  operation: Operation;
  /** A portal session needs it; absent: it may not. Its secrets are generated. */
  capability?: Capability;
  kind: 'sources' | 'endpoints';
  table: Pick<ResourceTable<Row>, 'change'>;
  generate(row: Row, random: RandomBytes): string;
  /** Whether a pair of keys goes with each secret. */
  hasKeys(row: Row): boolean;
  setSecrets(tx: Query, secretBox: SecretBox, named: Named, secrets: readonly StoredSecret[]): Promise<unknown>;
  secretErrors(row: Row, secret: string): FieldErrors;
}

const one = { sources: 'source', endpoints: 'endpoint' } as const;

const day = 24 * 3600;

const body = {
  type: 'object',
  additionalProperties: false,
  properties: { overlap_seconds: wholeNumber(0, 30 * day), secret },
} as const;

/** `POST …/{id}/rotate-secret`: the only answer that shows the new secret. The former ones stay valid until the overlap has passed. */
export const rotateSecret =
  <Row extends ResourceRow>({
    operation,
    capability,
    kind,
    table,
    generate,
    hasKeys,
    setSecrets,
    secretErrors,
  }: Rotated<Row>): Route =>
  ({ secretBox, clock, random }) =>
    route<{ Params: { id: string }; Body: Body }>({
      method: 'POST',
      url: `/v1/${kind}/:id/rotate-secret`,
      config: { operation, ...(capability && { capability }), audit: `${one[kind]}.rotate_secret` },
      schema: { body },
      preValidation: optionalBody,
      async handler(request, reply) {
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
          const rotation = { to, nowMicros: clock.nowMs() * 1000, overlapSeconds };
          const { secrets, previousExpiresAt } = rotateSecrets(stored, rotation);
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
    });

const tooMany = (inForce: number): string =>
  `${inForce} secrets are valid: wait until one expires, or end all of them with overlap_seconds 0`;
