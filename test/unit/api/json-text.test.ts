import { jsonText } from '../../../services/api/resources/json-text.ts';

test.each(['{"n":12345678901234567890,"n":1.10}', ' [1,\n2] ', '"text"', 'null', '{"u":"\u2028é"}'])(
  '%j is JSON, and stays as it stands',
  (text) => {
    expect(jsonText(Buffer.from(text))).toBe(text);
  },
);

test.each([
  ['nothing', Buffer.alloc(0)],
  ['plain text', Buffer.from('hello')],
  ['a form', Buffer.from('a=1&b=2')],
  ['half of JSON', Buffer.from('{"a":')],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['a nesting beyond all depth', Buffer.from('['.repeat(200_000))],
])('%s is none', (_what, bytes) => {
  expect(jsonText(bytes)).toBeUndefined();
});
