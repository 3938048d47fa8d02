import fc from 'fast-check';
import {
  type IdentifierPlace,
  type Locator,
  parseReceivedWebhook,
  receivedWebhookHeaders,
  trailMark,
} from '#lib/contract';
import { readHeaders } from '../../../services/ingress/receiving/http-headers.ts';
import {
  createRecordHeaders,
  type LocatorRule,
  parseLocatorRule,
} from '../../../services/ingress/receiving/record-headers.ts';

const asText = (headers: ReturnType<ReturnType<typeof createRecordHeaders>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test('a record’s headers are exactly those of the contract, whatever the rules and the request', () => {
  const headerName = fc.constantFrom('x-a', 'x-b', 'X-A', '__proto__', 'constructor', 'content-type', 'cookie');
  const value = fc.oneof(fc.string(), fc.constant('Application/X-WWW-Form-URLencoded; charset=UTF-8'));
  const rawHeaders = fc.array(fc.tuple(headerName, value), { maxLength: 6 }).map((pairs) => pairs.flat());
  const rule: fc.Arbitrary<LocatorRule> = fc.oneof(
    fc.constantFrom('x-a', 'x-b', 'x-c', '__proto__', 'constructor').map((header) => ({ header })),
    fc.constantFrom('/id', '/a/b', '/ü~0').map((pointer) => ({ pointer })),
  );
  const rules = fc.array(rule, { maxLength: 4 });
  const list = fc.record({ all: fc.array(rule, { minLength: 2, maxLength: 3 }) });
  const identities = fc.record({
    identifyBy: fc.array(fc.oneof(rule, list), { maxLength: 4 }),
    identifiesForms: fc.boolean(),
    countedWith: fc.oneof(fc.constantFrom(null, 'body' as const, 'receipt' as const), fc.constant({ header: 'x-a' })),
  });
  const tagRules = fc.dictionary(fc.constantFrom('a', 'b.c'), rule);
  const orderingKeys = fc.option(fc.string());
  const credentialNames = fc.option(
    fc.subarray(['x-a', 'x-b', 'cookie']).map((names) => new Set(names)),
    { nil: undefined },
  );
  fc.assert(
    fc.property(
      rawHeaders,
      identities,
      rules,
      tagRules,
      fc.string(),
      orderingKeys,
      credentialNames,
      (raw, { identifyBy, countedWith, identifiesForms }, typeBy, tagsBy, text, orderingKey, credentials) => {
        const tenant = text;
        const constant = { tenant, sourceId: 'src_1', dedupTtlSeconds: 60 };
        const arrival = { receiptId: 'rcp_1', receivedAt: 1_764_576_000_123_000, traceparent: 'tp', orderingKey };
        const trail = orderingKey === null ? [] : [trailMark('src_0')];
        const request = { method: 'POST', path: `/v1/webhooks/src_1?${text}`, address: text };
        const seal = (name: string, value: string): string => `${name} sealed ${value}`;
        const fixed = { ...constant, signatureHeaders: ['x-a'], seal };
        const record = createRecordHeaders({ ...fixed, identifyBy, countedWith, identifiesForms, typeBy, tagsBy })({
          ...arrival,
          credentials,
          trail,
          rawHeaders: raw,
          headers: readHeaders(raw),
          method: request.method,
          url: request.path,
          address: request.address,
        });

        const isSealed = (name: string): boolean => name !== 'x-a' && (credentials?.has(name) ?? false);
        const joined = new Map<string, string>();
        for (let index = 0; index < raw.length; index += 2) {
          const name = raw[index]?.toLowerCase() ?? '';
          const earlier = joined.get(name);
          joined.set(name, earlier === undefined ? (raw[index + 1] ?? '') : `${earlier}, ${raw[index + 1] ?? ''}`);
        }
        const locate = (list: LocatorRule[]): Locator[] =>
          list.flatMap((given): Locator[] => {
            if ('pointer' in given) return [given];
            const value = joined.get(given.header) ?? '';
            return value === '' ? [] : [{ value }];
          });
        const places = identifyBy.flatMap((given): IdentifierPlace[] => {
          if (!('all' in given)) return locate([given]);
          const all = locate([...given.all]);
          return all.length === given.all.length ? [{ all }] : [];
        });
        const value = joined.get('x-a') ?? '';
        const others = value === '' || places.length === 0 ? null : { value };
        const tags = Object.entries(tagsBy).flatMap(([name, given]) =>
          locate([given]).map((locator) => [name, locator] as const),
        );
        const values = Map.groupBy(
          raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ''] as const] : [])),
          ([name]) => name,
        );
        const repeated = Object.fromEntries(
          [...values]
            .filter(([name, all]) => all.length > 1 && name !== 'cookie' && !isSealed(name))
            .map(([name, all]) => [name, all.map(([, value]) => value)]),
        );
        // That of the signature stays as it was.
        const sealedHeaders = Object.fromEntries(
          [...(credentials ?? [])]
            .filter((name) => values.has(name) && isSealed(name))
            .map((name) => [name, values.get(name)?.map(([, value]) => seal(name, value)) ?? []]),
        );
        const httpHeaders = Object.create(null) as Record<string, string>;
        for (const [name, value] of joined) if (name !== 'cookie' && !isSealed(name)) httpHeaders[name] = value;
        expect(asText(record)).toEqual(
          receivedWebhookHeaders({
            ...constant,
            ...arrival,
            trail,
            contentType: joined.get('content-type') ?? '',
            contentEncoding: joined.get('content-encoding') || null,
            httpHeaders,
            sealedHeaders,
            identifyBy: places,
            identifiesForm:
              identifiesForms && /^application\/x-www-form-urlencoded;/i.test(joined.get('content-type') ?? ''),
            countedWith: typeof countedWith === 'object' && countedWith !== null ? others : countedWith,
            typeBy: locate(typeBy),
            tagsBy: Object.fromEntries(tags),
            request: {
              secret: ['x-a'],
              ...request,
              names: raw.filter((_, index) => index % 2 === 0).join(','),
              ...(Object.keys(repeated).length > 0 && { repeated }),
            },
            origin: null,
          }),
        );
      },
    ),
  );
});

test('a record’s headers can be read by whoever takes it from the topic', () => {
  const recordHeaders = createRecordHeaders({
    tenant: 'acme',
    sourceId: 'src_1',
    identifyBy: [{ header: 'x-id' }],
    countedWith: null,
    identifiesForms: true,
    typeBy: [],
    tagsBy: { id: { header: 'x-id' }, absent: { header: 'x-absent' } },
    signatureHeaders: ['x-signed'],
    dedupTtlSeconds: 60,
    seal: () => 'sealed',
  });
  const rawHeaders = ['X-Id', 'a', 'x-id', 'b', 'Authorization', 'Bearer x', 'Proxy-Authorization', 'y'];
  const record = asText(
    recordHeaders({
      receiptId: 'rcp_1',
      receivedAt: 1,
      orderingKey: null,
      traceparent: '',
      rawHeaders,
      headers: readHeaders(rawHeaders),
      method: 'POST',
      url: '/v1/webhooks/src_1',
      address: '::1',
      credentials: new Set(['authorization']),
      trail: [],
    }),
  );
  expect(parseReceivedWebhook(record, Buffer.of(1))).toMatchObject({
    identifyBy: [{ value: 'a, b' }],
    tagsBy: { id: { value: 'a, b' } },
    httpHeaders: { 'x-id': 'a, b' },
    sealedHeaders: { authorization: ['sealed'] },
    request: {
      names: 'X-Id,x-id,Authorization,Proxy-Authorization',
      repeated: { 'x-id': ['a', 'b'] },
      secret: ['x-signed'],
    },
    body: Buffer.of(1),
  });
  expect(JSON.stringify(record)).not.toContain('Bearer');
});

test.each([
  ['header:X-GitHub-Delivery', { header: 'x-github-delivery' }],
  ['/id', { pointer: '/id' }],
  ['/data/object/id', { pointer: '/data/object/id' }],
  ['/a~1b/~0/', { pointer: '/a~1b/~0/' }],
  ['', undefined],
  ['id', undefined],
  ['header:', undefined],
  ['header: X', undefined],
  ['Header:X', undefined],
  ['/a~', undefined],
])('the rule %j is read as %j', (text, rule) => {
  expect(parseLocatorRule(text)).toEqual(rule);
});
