import { readFileSync } from 'node:fs';
import { maxPayloadText } from '#lib/contract';

const root = `${import.meta.dirname}/../../..`;

test.each([
  ['services/api/README.md', `any JSON, up to ${maxPayloadText}`],
  ['docs/errors.md', `A payload has ${maxPayloadText} at most |`],
])('%s has the limit of a payload, as the code has it', (file, text) => {
  expect(readFileSync(`${root}/${file}`, 'utf8')).toContain(text);
});
