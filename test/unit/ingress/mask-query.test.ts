import { maskQuery } from '../../../services/ingress/receiving/mask-query.ts';

test.each([
  ['?hub.verify_token=abc&hub.challenge=1', '?hub.verify_token=***&hub.challenge=1'],
  ['?a=1;access_token=x=y;b=2', '?a=1;access_token=***;b=2'],
  ['?hub%2Everify_%74oken=abc', '?hub%2Everify_%74oken=***'],
  ['?api-key=&b', '?api-key=***&b'],
  ['?%=1&SECRET=2', '?%=1&SECRET=***'],
  ['?a=b?token=c', '?a=b?token=c'],
  ['?token=a?b=c', '?token=***'],
  ['', ''],
  ['?', '?'],
])('the values of parameters that may be secrets are masked: %s', (query, shown) => {
  expect(maskQuery(`/v1/webhooks/src_1${query}`)).toBe(`/v1/webhooks/src_1${shown}`);
});
