import type { HttpAnswer, HttpRequest, Transport } from '#client';

export const adminKey = 'an-admin-key-for-tests';
export const tenantKey = 'hk_key_of_acme';
export const readKey = 'hk_without_admin';
export const operatorToken = tokenOf(1);
export const tenantToken = tokenOf(2);
export const readToken = tokenOf(3);

/** A status with a body: an object as JSON, a problem by its code, or bytes. */
export interface Reply {
  status?: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

type Answering = Reply | 'away' | ((call: HttpRequest) => Reply | 'away');

export interface FakeApi {
  transport: Transport;
  calls: HttpRequest[];
  /** Sets the answer to a method and path, or to all paths that begin so where it ends with `*`. */
  on(line: string, answer: Answering): void;
}

export const problemReply = (
  status: number,
  code: string,
  more: { detail?: string; errors?: object[]; retryAfter?: string } = {},
): Reply => {
  const { retryAfter, ...members } = more;
  return {
    status,
    body: { type: `urn:hookline:problem:${code}`, title: code, status, code, ...members },
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  };
};

const session = (id: string, more: object): Reply => ({
  body: {
    credential: { type: 'session', id, key_id: 'key_1' },
    all_tenants: false,
    scopes: ['read', 'write', 'publish', 'admin'],
    expires_at: '2026-01-01T12:00:00.000000Z',
    idle_expires_at: '2026-01-01T02:00:00.000000Z',
    ...more,
  },
});

const whoIs: Readonly<Record<string, Reply>> = {
  [operatorToken]: session('ses_operator', { tenant: 'default', all_tenants: true }),
  [tenantToken]: session('ses_acme', { tenant: 'acme' }),
  [readToken]: session('ses_reader', { tenant: 'acme', scopes: ['read'] }),
  [adminKey]: session('admin', {
    tenant: 'default',
    all_tenants: true,
    credential: { type: 'operator', id: 'admin', key_id: 'admin' },
  }),
  [tenantKey]: session('key_1', { tenant: 'acme', credential: { type: 'key', id: 'key_1', key_id: 'key_1' } }),
  [readKey]: session('key_2', {
    tenant: 'acme',
    scopes: ['read'],
    credential: { type: 'key', id: 'key_2', key_id: 'key_2' },
  }),
};

/** As the API makes them. */
function tokenOf(number: number): string {
  return `hs_${String(number).padStart(26, '0')}_${String(number).repeat(64)}`;
}

/** An API that knows some keys and sessions, and else what it is told. All other paths are unknown to it. */
export function createFakeApi(): FakeApi {
  const answers = new Map<string, Answering>();
  const calls: HttpRequest[] = [];
  const ended = new Set<string>();

  function answerTo(call: HttpRequest): Reply | 'away' {
    const line = `${call.method} ${call.path}`;
    const told =
      answers.get(line) ??
      answers.get(line.split('?', 1)[0] ?? '') ??
      [...answers].find(([pattern]) => pattern.endsWith('*') && line.startsWith(pattern.slice(0, -1)))?.[1];
    if (told !== undefined) return typeof told === 'function' ? told(call) : told;
    const credential = /^Bearer (.+)$/.exec(call.headers['authorization'] ?? '')?.[1] ?? '';
    const me = whoIs[credential];
    if (call.path === '/v1/sessions/redeem') return redeem(call);
    if (me === undefined || ended.has(credential)) return problemReply(401, 'unauthorized');
    if (line === 'GET /v1/me') return me;
    if (line === 'POST /v1/sessions') return createSession(credential);
    if (line.startsWith('DELETE /v1/sessions/')) {
      ended.add(credential);
      return { status: 204 };
    }
    return problemReply(404, 'not_found');
  }

  return {
    calls,
    on: (line, answer) => void answers.set(line, answer),
    transport: async (call) => {
      calls.push(call);
      const reply = answerTo(call);
      return reply === 'away' ? { noAnswer: 'connect ECONNREFUSED' } : asAnswer(reply);
    },
  };
}

function createSession(credential: string): Reply {
  if (credential === readKey)
    return problemReply(403, 'forbidden', { detail: 'The key does not have the scope admin' });
  return credential === adminKey
    ? { status: 201, body: { id: 'ses_operator', tenant: '*', token: operatorToken } }
    : { status: 201, body: { id: 'ses_acme', tenant: 'acme', token: tenantToken } };
}

const redeem = ({ body = '' }: HttpRequest): Reply =>
  body.includes('hc_good')
    ? { body: { id: 'ses_acme', tenant: 'acme', token: tenantToken } }
    : problemReply(401, 'unauthorized');

function asAnswer({ status = 200, body, headers = {} }: Reply): HttpAnswer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  return { status, bytes, header: (name) => headers[name] };
}
