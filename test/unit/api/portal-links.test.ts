import { contrastWithWhite, validateLink } from '../../../services/api/access/validate-link.ts';
import { errorsOfMove } from '../../../services/api/endpoints/given-endpoint.ts';

const returnOrigins = ['https://app.example.com', 'https://other.example.com:8443'];
const judge = (given: Partial<Parameters<typeof validateLink>[0]>) =>
  validateLink({ capabilities: ['view'], ...given }, { returnOrigins });

test.each([
  ['https://app.example.com', 0],
  ['https://app.example.com/back?a=b#c', 0],
  ['https://APP.example.com:443/', 0],
  ['https://other.example.com:8443/', 0],
  ['https://other.example.com/', 1],
  ['http://app.example.com/', 1],
  ['https://app.example.com.evil.example/', 1],
  ['https://app.example.com@evil.example/', 1],
  ['https://user:pw@app.example.com/', 1],
  ['javascript:alert(1)', 1],
  ['//app.example.com/', 1],
  ['', 1],
])('a return_url is https and of a listed origin: %s', (url, errors) => {
  expect(judge({ return_url: url }).map(({ field }) => field)).toEqual(Array(errors).fill('/return_url'));
});

test('without a list, there is no return_url', () => {
  const given = { capabilities: ['view'] as const, return_url: 'https://app.example.com/' };
  expect(validateLink(given, { returnOrigins: [] })).toHaveLength(1);
});

test('the contrast of an accent is that of WCAG', () => {
  expect(contrastWithWhite('#000000')).toBeCloseTo(21, 5);
  expect(contrastWithWhite('#ffffff')).toBeCloseTo(1, 5);
  // The grey at the border, by the tables of WCAG.
  expect([contrastWithWhite('#767676') >= 4.5, contrastWithWhite('#777777') >= 4.5]).toEqual([true, false]);
  expect(judge({ accent: '#767676' })).toEqual([]);
  expect(judge({ accent: '#777777' })).toEqual([
    { field: '/accent', message: 'must have a contrast of 4.5:1 or more with white, and has 4.4:1' },
  ]);
});

test('a link without `view` would show nothing', () => {
  expect(judge({ capabilities: ['secrets'] }).map(({ field }) => field)).toEqual(['/capabilities']);
});

test.each([
  [{}, 0],
  [{ timeout_ms: 100 }, 0],
  [{ headers: { 'X-Api-Key': 'secret' } }, 1],
  [{ pass_headers: ['Authorization', 'X-GitHub-*'] }, 1],
  [{ pass_headers: ['X-GitHub-*'] }, 1],
  [{ pass_headers: [] }, 0],
  [{ proxy: 'http://proxy.example:3128' }, 1],
  [{ client_certificate: { certificate: 'c', private_key: 'k' } }, 1],
])('a customer does not lead elsewhere what the operator set for one host: %j', (settings, errors) => {
  expect(errorsOfMove(settings)).toHaveLength(errors);
});
