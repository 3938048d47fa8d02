import {
  answeredHeadersFor,
  detailFor,
  receivedHeadersFor,
  recordHeaderText,
  sentHeadersFor,
  setHeadersFor,
} from '#lib/contract';

const sent = {
  'x-internal-route': 'pod-7',
  'x-api-key': 'set before its name counted as secret',
  'user-agent': 'Internal/1',
  'webhook-signature': 'v1,abc',
  'hookline-event-type': 'a',
  'content-type': 'application/json',
  'proxy-authorization': 'Basic x',
};

test('an attempt shows a customer Hookline’s own headers, and the tenant all, secret ones masked', () => {
  expect(sentHeadersFor('customer', sent)).toEqual({
    'webhook-signature': 'v1,abc',
    'hookline-event-type': 'a',
    'content-type': 'application/json',
  });
  expect(sentHeadersFor('tenant', sent)).toEqual({ ...sent, 'x-api-key': '***', 'proxy-authorization': '***' });
});

test('an endpoint shows a customer none of its headers', () => {
  expect(setHeadersFor('customer', sent)).toEqual({});
  expect(setHeadersFor('tenant', { 'X-Plain': 'a', 'X-Token': 'b' })).toEqual({ 'X-Plain': 'a', 'X-Token': '***' });
});

test('the answer of a receiver is shown to both, but for its cookies and tokens', () => {
  const answered = { 'set-cookie': 'a=b', 'www-authenticate': 'Basic', server: 's' };
  for (const viewer of ['tenant', 'customer'] as const)
    expect(answeredHeadersFor(viewer, answered)).toEqual({ ...answered, 'set-cookie': '***' });
});

test('a proxy on the way to the receiver is the tenant’s to know', () => {
  const answered = { via: '1.1 squid.internal', 'proxy-authenticate': 'Basic realm="squid"', server: 's' };
  expect(answeredHeadersFor('customer', answered)).toEqual({ server: 's' });
  expect(answeredHeadersFor('tenant', answered)).toEqual(answered);
});

test.each([
  ['the proxy: the connection was refused', 'the connection failed'],
  ['the proxy answered 407: it asks for other credentials', 'the connection failed'],
  ['the proxy did not answer within 10000 ms', 'the connection was not established within 10000 ms'],
  ['the proxy: the host’s address is not allowed: link-local', 'the connection failed'],
  ['exhausted: the proxy answered 502', 'exhausted: the connection failed'],
  ['the client certificate cannot be used', 'the TLS handshake failed'],
  ['exhausted: the server refused our certificate', 'exhausted: the TLS handshake failed'],
])('a customer is not told by %s how the provider reaches its endpoint', (detail, shown) => {
  expect([detailFor('tenant', detail), detailFor('customer', detail)]).toEqual([detail, shown]);
});

test.each([null, 'answered 500', 'the connection was refused', 'the server asks for a client certificate'])(
  'a customer is told of its own receiver: %s',
  (detail) => {
    expect(detailFor('customer', detail)).toBe(detail);
  },
);

test.each([
  ...['Forwarded', 'X-Forwarded-For', 'x-forwarded-host', 'Via', 'X-Real-IP', 'True-Client-IP', 'CF-Connecting-IP'],
  ...['Fastly-Client-IP', 'X-Envoy-External-Address', 'X-Original-Forwarded-For', 'X-Remote-Addr'],
])('a customer is not told by %s from where the provider sends', (name) => {
  expect(receivedHeadersFor('customer', [{ name, value: '192.0.2.7' }])).toEqual([]);
  expect(receivedHeadersFor('tenant', [{ name, value: '192.0.2.7' }])).toEqual([{ name, value: '192.0.2.7' }]);
});

test('the headers of the provider are shown to both, values that may be secrets masked', () => {
  const headers = [
    { name: 'X-GitHub-Event', value: 'push' },
    { name: 'X-Hub-Signature-256', value: null },
    { name: 'X-Zip', value: 'an address is none' },
  ];
  for (const viewer of ['tenant', 'customer'] as const)
    expect(receivedHeadersFor(viewer, headers).map(({ value }) => value)).toEqual([
      'push',
      '***',
      'an address is none',
    ]);
});

test('the record of a dead letter has no header of the provider that may be secret', () => {
  const headers = JSON.stringify({ 'x-api-key': 'hush', 'x-plain': 'a' });
  expect(recordHeaderText('hookline-http-headers', headers)).toBe('{"x-api-key":"***","x-plain":"a"}');
  const request = { method: 'POST', names: 'X-Token', repeated: { 'x-token': ['hush', 'hush'], 'x-a': ['1', '2'] } };
  expect(JSON.parse(recordHeaderText('hookline-request', JSON.stringify(request)))).toEqual({
    ...request,
    repeated: { 'x-token': '***', 'x-a': ['1', '2'] },
  });
  expect(recordHeaderText('hookline-request', JSON.stringify({ method: 'POST' }))).toBe('{"method":"POST"}');
  expect(recordHeaderText('hookline-sealed-headers', '{}')).toBe('***');
  expect(recordHeaderText('hookline-http-headers', 'no JSON')).toBe('no JSON');
});
