import fc from 'fast-check';
import { memberText } from '#lib/payload';

test.each([
  ['{"a":1}', '1'],
  ['{"b":{"a":2},"a":{ "x" : [1, "}" ] } }', '{ "x" : [1, "}" ] }'],
  ['\uFEFF\n{"\\u0061": "q\\"\\\\" , "b": 0}', '"q\\"\\\\"'],
  ['{"a":1,"a":12345678901234567890}', '12345678901234567890'],
  ['{"a":-1.0E+5}', '-1.0E+5'],
  ['{"a":null}', 'null'],
  ['{"b":1}', undefined],
  ['{}', undefined],
  ['[1]', undefined],
  ['7', undefined],
])('of %s the member a is %j', (text, expected) => {
  expect(memberText(text, 'a')).toBe(expected);
});

test('a member’s text, read, is the value that the document has', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (given, indent) => {
      const text = JSON.stringify(given, null, indent);
      const document = JSON.parse(text) as Record<string, unknown>;
      for (const name of Object.keys(document)) {
        const found = memberText(text, name);
        expect(text).toContain(found);
        expect(JSON.parse(found ?? '')).toEqual(document[name]);
      }
    }),
  );
});
