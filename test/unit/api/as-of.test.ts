import { parseEncryptionKeys } from '#lib/secret-box';
import { createAsOfTokens } from '../../../services/api/replays/by-filter/as-of.ts';

const keyOf = (name: string, fill: number) => `${name}:${Buffer.alloc(32, fill).toString('base64')}`;
const tokens = createAsOfTokens(parseEncryptionKeys([keyOf('a', 1)]));
const request = {
  tenant: 'acme',
  operation: 'replay_events',
  request: { filter: { type: 'a', has: ['x', 'y'] }, limit: 10, endpointId: null },
};
const counted = { at: 1_764_000_000_123_456, count: 10_000_000 };
const token = tokens.write(request, counted);

test('an as_of is read by the request that was counted, however its members are ordered', () => {
  expect(token).toMatch(/^[A-Za-z0-9_-]{40}$/);
  expect(tokens.read(request, token)).toEqual(counted);
  const { filter, limit } = request.request;
  const ordered = { endpointId: null, absent: undefined, limit, filter: { has: filter.has, type: filter.type } };
  expect(tokens.read({ ...request, request: ordered }, token)).toEqual(counted);
});

test.each([
  ['tenant', { ...request, tenant: 'acm' }],
  ['operation', { ...request, operation: 'retry_deliveries' }],
  ['filter', { ...request, request: { ...request.request, filter: { type: 'a', has: ['y', 'x'] } } }],
  ['filter’s names', { ...request, request: { ...request.request, filter: { has: 'a', type: ['x', 'y'] } } }],
  ['limit', { ...request, request: { ...request.request, limit: 11 } }],
  ['endpoint', { ...request, request: { ...request.request, endpointId: 'null' } }],
  ['members', { ...request, request: { ...request.request, more: 1 } }],
  // A case where one text could be two requests.
  ['tenant and operation', { ...request, tenant: 'acme","replay_events', operation: '' }],
])('an as_of of another %s is none', (_what, other) => {
  expect(tokens.read(other, token)).toBeUndefined();
});

test('no bit of an as_of can be changed', () => {
  const bytes = Buffer.from(token, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(tokens.read(request, changed.toString('base64url'))).toBeUndefined();
  }
  for (const other of ['', token.slice(1), `${token}A`, `${token}=`, ` ${token}`])
    expect(tokens.read(request, other)).toBeUndefined();
});

test('an as_of holds as long as the encryption key that it was made under is listed', () => {
  const [added, removed] = [[keyOf('b', 2), keyOf('a', 1)], [keyOf('b', 2)]].map((keys) =>
    createAsOfTokens(parseEncryptionKeys(keys)),
  );
  expect(added?.read(request, token)).toEqual(counted);
  expect(removed?.read(request, token)).toBeUndefined();
});
