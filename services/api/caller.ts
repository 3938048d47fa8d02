import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { sendInvalid, sendProblem } from './send-problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose resources this request is about; set once the caller is known. */
    tenant: string;
  }
}

const tenantHeader = 'hookline-tenant';
const defaultTenant = 'default';
const tenantPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Who asks, and for which tenant: 401 without the key, before anything of the request is looked at. */
export function createCallerCheck(adminKey: string): onRequestHookHandler {
  const isAdminKey = createKeyComparison(adminKey);

  return (request: FastifyRequest, reply: FastifyReply, done) => {
    const [, key] = /^bearer +([^ ]+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (key === undefined || !isAdminKey(key)) {
      sendProblem(reply, 'unauthorized');
      return;
    }
    const tenant = request.headers[tenantHeader] ?? defaultTenant;
    if (typeof tenant !== 'string' || !tenantPattern.test(tenant)) {
      sendInvalid(reply, [
        { field: 'Hookline-Tenant', message: 'must be 1 to 64 letters, digits, dots, dashes or underscores' },
      ]);
      return;
    }
    request.tenant = tenant;
    done();
  };
}

/** Takes the same time whatever is given: the digests are of one length, and of no use to who guesses. */
function createKeyComparison(key: string): (given: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(key);
  return (given) => timingSafeEqual(digest(given), expected);
}
