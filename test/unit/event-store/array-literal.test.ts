import { arrayLiteral } from '../../../libs/event-store/array-literal.ts';

test.each([
  [[], '{}'],
  [[null, undefined], '{NULL,NULL}'],
  [['NULL', '', '{a,b}', ' '], '{"NULL","","{a,b}"," "}'],
  [['"', '\\', '{"a":"\\"b\\""}'], '{"\\"","\\\\","{\\"a\\":\\"\\\\\\"b\\\\\\"\\"}"}'],
  [[1, -0.5, true, false], '{1,-0.5,true,false}'],
  [[Buffer.from([0, 255]), Buffer.alloc(0)], '{"\\\\x00ff","\\\\x"}'],
])('%j is %s', (values, literal) => {
  expect(arrayLiteral(values)).toBe(literal);
});
