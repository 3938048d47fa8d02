import { signatureSchemes } from '#lib/signatures';
import { changeOf } from '../etag.ts';
import { secret, wholeNumber } from '../fields.ts';
import { sources, updateSource } from '../resources/source.ts';
import { maxSecretsInForce, openSecrets, rotateSecrets, sealSecrets } from '../resources/stored-secrets.ts';
import { type Route, route } from '../route.ts';
import { sendInvalid, sendProblem } from '../send-problem.ts';
import { settingsErrors } from '../source-settings.ts';

interface Body {
  overlap_seconds?: number;
  secret?: string;
}

const day = 24 * 3600;

const body = {
  type: 'object',
  additionalProperties: false,
  properties: { overlap_seconds: wholeNumber(0, 30 * day), secret },
} as const;

/**
 * `POST /v1/sources/{id}/rotate-secret`: the only answer that shows the new secret. What was valid stays so until the overlap has passed;
 * the ingress knows of both within seconds.
 */
export const rotateSourceSecret: Route = ({ postgres, secretBox, clock, random }) =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/sources/:id/rotate-secret',
    schema: { body },
    preValidation: (request, _reply, done) => {
      request.body ??= {};
      done();
    },
    async handler(request, reply) {
      const { tenant } = request;
      const { overlap_seconds: overlapSeconds = day, secret: given } = request.body;

      const result = await sources.change(postgres, changeOf(request), async (row, tx) => {
        const { name, scheme, settings } = row;
        const secret = given ?? signatureSchemes[scheme].generateSecret(random);
        const errors = settingsErrors(scheme, { settings, secret }).filter(({ field }) => field === '/secret');
        if (errors.length > 0) return { errors };
        const owner = { table: 'sources', tenant, id: row.id } as const;
        const stored = openSecrets(secretBox, owner, row.secrets);
        const rotation = { secret, nowMicros: clock.nowMs() * 1000, overlapSeconds };
        const { secrets, previousExpiresAt } = rotateSecrets(stored, rotation);
        if (secrets.length > maxSecretsInForce) return { inForce: secrets.length - 1 };
        await updateSource(tx, { tenant, id: row.id, name, settings, secrets: sealSecrets(secretBox, owner, secrets) });
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
  `${inForce} secrets are in force: wait until one has ended, or end them all with overlap_seconds 0`;
