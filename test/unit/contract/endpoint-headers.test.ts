import { isReservedHeader, isSensitiveHeader } from '#lib/contract';

test.each([
  ...['Host', 'Connection', 'Keep-Alive', 'Proxy-Connection', 'Proxy-Authorization', 'TE', 'Trailer', 'Upgrade'],
  ...['Transfer-Encoding', 'Expect', 'Content-Length', 'Content-Type', 'Content-Encoding', 'Accept-Encoding'],
  ...['HTTP2-Settings', 'Hookline-Signature', 'hookline-anything', 'Webhook-Id', 'webhook-signature', 'traceparent'],
  ...['TraceState', ':path', ':authority'],
])('%s is Hookline’s own, however it is written', (name) => {
  for (const written of [name, name.toLowerCase(), name.toUpperCase()]) expect(isReservedHeader(written)).toBe(true);
});

test.each(['User-Agent', 'Authorization', 'Accept', 'X-Host', 'Content-Language', 'Svix-Id', 'X-Webhook-Id', 'Tea'])(
  '%s may be set',
  (name) => expect(isReservedHeader(name)).toBe(false),
);

test.each([
  ...['Authorization', 'Proxy-Authorization', 'Cookie', 'X-Auth', 'X-Token', 'X-Secret', 'X-Password', 'X-Passphrase'],
  ...['X-Api-Key', 'ApiKey', 'x_api_key', 'Ocp-Apim-Subscription-Key', 'X-Credentials', 'X-Signature', 'X-Session'],
])('the value of %s is not to be seen', (name) => {
  for (const written of [name, name.toLowerCase(), name.toUpperCase()]) expect(isSensitiveHeader(written)).toBe(true);
});

test.each(['User-Agent', 'Accept', 'X-Request-Id', 'X-Tenant', 'Content-Language', 'From'])(
  'the value of %s may be seen',
  (name) => expect(isSensitiveHeader(name)).toBe(false),
);
