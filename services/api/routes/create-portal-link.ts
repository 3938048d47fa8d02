import { capabilities, type Capability } from '#lib/api-contract';
import { createId } from '#lib/ids';
import { sendInvalid } from '../http/send-problem.ts';
import { keyIdOf } from '../keys/identify-caller.ts';
import { credentialHash, newCredential } from '../keys/key-text.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { judgeLink } from '../portal/judge-link.ts';
import { countOpenLinks, insertPortalLink, portalLinkJson } from '../resources/portal-link.ts';
import { countOpenSessions } from '../resources/session.ts';
import { type Route, route } from '../route.ts';
import { wholeNumber } from '../settings/fields.ts';

interface Body {
  tenant?: string;
  capabilities: Capability[];
  expires_in_seconds?: number;
  return_url?: string;
  accent?: string;
}

const day = 24 * 3_600;

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['capabilities'],
  properties: {
    tenant: { type: 'string', maxLength: 64 },
    capabilities: {
      type: 'array',
      minItems: 1,
      maxItems: capabilities.length,
      uniqueItems: true,
      items: { type: 'string', enum: capabilities },
    },
    expires_in_seconds: wholeNumber(60, 7 * day),
    return_url: { type: 'string', maxLength: 500, pattern: '^[^\\u0000-\\u0020\\u007f]*$', description: 'a URL' },
    accent: { type: 'string', maxLength: 7, pattern: '^#[0-9a-fA-F]{6}$', description: 'a colour such as #1a5fb4' },
  },
} as const;

const operation: Operation = {
  tag: 'Portal links',
  id: 'createPortalLink',
  summary: 'Make a link that signs a customer in to the portal, once',
  description:
    'One customer is one tenant: the tenant of the request, which `tenant` may repeat as a check. The link ends after `expires_in_seconds` (a day by default, a week at most), when it is redeemed or revoked, and with the key. `return_url` is the URL of the link back from the portal; its origin must be among those of `HOOKLINE_PORTAL_RETURN_ORIGINS`. Open links count as sessions of the tenant.',
  answers: {
    201: { is: 'The link; the only response that contains the code', body: 'NewPortalLink', headers: ['Location'] },
  },
  errors: ['limit_reached'],
};

/** `POST /v1/portal-links`: the only answer that shows the code. */
export const createPortalLink: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/portal-links',
    config: { operation, scope: 'admin', audit: 'portal_link.create', notBySession: 'make portal links' },
    schema: { body },
    async handler(request, reply) {
      const { clock, random, limits, operatorKeys, portal } = deps;
      const { caller, tenant, idempotent, body } = request;
      if (body.tenant !== undefined && body.tenant !== tenant)
        return sendInvalid(reply, [{ field: '/tenant', message: `must be the tenant of the request, ${tenant}` }]);
      const errors = judgeLink(body, portal);
      if (errors.length > 0) return sendInvalid(reply, errors);

      const id = createId('lnk', clock.nowMs(), random);
      const code = newCredential('hp', id, random);
      const most = limits.of(tenant, 'sessions');
      const row = await idempotent.effects.transaction(async (tx) => {
        const { fingerprints } = operatorKeys;
        const sessions = await countOpenSessions(tx, tenant, fingerprints, most);
        if (sessions + (await countOpenLinks(tx, tenant, fingerprints, most)) >= most) return undefined;
        const inserted = await insertPortalLink(tx, {
          tenant,
          id,
          keyId: keyIdOf(caller),
          operatorKey: caller.operatorKey?.fingerprint ?? null,
          capabilities: body.capabilities,
          returnUrl: body.return_url ?? null,
          accent: body.accent?.toLowerCase() ?? null,
          codeHash: credentialHash(code),
          seconds: body.expires_in_seconds ?? day,
        });
        await request.audit(tx, { id, after: portalLinkJson(inserted) });
        return inserted;
      });
      if (row === undefined) return refuseBeyondLimit(reply, 'sessions', deps);
      void reply.code(201).header('location', `/v1/portal-links/${id}`);
      return { ...portalLinkJson(row), code, url: portal.url === '' ? null : `${portal.url}/p/${code}` };
    },
  });
