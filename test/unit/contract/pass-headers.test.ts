import { compilePassHeaders, type EventRequest, passedHeaders, problemOfPassRule } from '#lib/contract';

const requestOf = (...headers: [string, string | null][]): EventRequest => ({
  method: 'POST',
  path: '/',
  client_address: '192.0.2.1',
  truncated: false,
  headers: headers.map(([name, value]) => ({ name, value })),
});
const passed = (rules: string[], ...headers: [string, string | null][]) =>
  passedHeaders(compilePassHeaders(rules), requestOf(...headers));

describe('passed headers', () => {
  it('are those that a rule names, or begins, in any case, in their order and each value by itself', () => {
    const headers: [string, string][] = [
      ['X-GitHub-Event', 'push'],
      ['x-request-id', '7'],
      ['X-Other', 'no'],
      ['X-GITHUB-delivery', 'a'],
      ['X-GitHub-Delivery', 'b'],
      ['X-GitHub', 'no'],
    ];
    expect(passed(['x-github-*', 'X-Request-Id'], ...headers)).toEqual([
      ['X-GitHub-Event', 'push'],
      ['x-request-id', '7'],
      ['X-GITHUB-delivery', 'a'],
      ['X-GitHub-Delivery', 'b'],
    ]);
  });

  it.each([
    ...['Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Proxy-Connection'],
    ...['Host', 'Content-Length', 'Content-Type', 'Content-Encoding', 'Expect', 'Accept-Encoding', 'User-Agent'],
    ...['Hookline-Signature', 'Hookline-Attempt', 'webhook-id', 'webhook-signature', 'traceparent', 'tracestate'],
    'Proxy-Authorization',
  ])('are never %s, whichever rule would take it', (name) => {
    expect(problemOfPassRule(name)).toBeDefined();
    // A row from before a name was refused may have it all the same.
    expect(passed([name, `${name.slice(0, 2)}*`], [name, 'x'])).toEqual([]);
  });

  describe.each(['Authorization', 'Cookie', 'X-Api-Key', 'X-Hub-Signature-256', 'X-Gitlab-Token'])('%s', (name) => {
    const request: EventRequest = {
      ...requestOf([name, null], ['X-A', 'a'], [name.toUpperCase(), null]),
      sealed: { [name.toLowerCase()]: ['one', 'two'] },
    };
    const passedBy = (...rules: string[]) => passedHeaders(compilePassHeaders(rules), request);

    it('is passed, sealed, where a rule is its whole name', () => {
      expect(problemOfPassRule(name)).toBeUndefined();
      expect(passedBy(name.toUpperCase())).toEqual([
        [name, 'one', 'sealed'],
        [name.toUpperCase(), 'two', 'sealed'],
      ]);
    });

    it('is not passed where a rule is a beginning, or where its value was not sealed', () => {
      expect(problemOfPassRule(`${name}*`)).toBeDefined();
      expect(passedBy(`${name.slice(0, 2)}*`, 'X-A')).toEqual([['X-A', 'a']]);
      expect(passed([name], [name, null])).toEqual([]);
    });
  });

  it('have no value that was not kept, such as that of a signature header of any name', () => {
    expect(passed(['X-Shopify-*'], ['X-Shopify-Hmac-SHA256', null], ['X-Shopify-Topic', 'orders'])).toEqual([
      ['X-Shopify-Topic', 'orders'],
    ]);
  });

  it('are none that the sender’s Connection names for the connection to us alone (RFC 9110, 7.6.1)', () => {
    const headers: [string, string][] = [
      ['Connection', 'close, X-Hop'],
      ['X-Hop', '1'],
      ['X-End', '2'],
      ['connection', 'x-other'],
      ['X-Other', '3'],
    ];
    expect(passed(['X-*'], ...headers)).toEqual([['X-End', '2']]);
  });

  it('are none that no request could carry, and bounded, whoever wrote the event', () => {
    expect(passed(['X*'], ['X A', '1'], ['X-A', '1\r\n'], ['X-B', '\u0100'], ['X-C', 'é\t\xff'])).toEqual([
      ['X-C', 'é\t\xff'],
    ]);
    const many = Array.from({ length: 100 }, (_, index): [string, string] => [`X-${index}`, 'v'.repeat(1_000)]);
    expect(passed(['X-*'], ...many)).toHaveLength(16);
  });

  it('are none where the endpoint asks for none, or the request is unknown', () => {
    expect(compilePassHeaders([])).toBeUndefined();
    expect(compilePassHeaders(undefined)).toBeUndefined();
    expect(passedHeaders(compilePassHeaders(['X-*']), null)).toEqual([]);
  });
});
