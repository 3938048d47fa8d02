import { compareHeads } from '../../support/response-heads/compare.ts';

const heads = 20_000;

it(`a head is an answer where RFC 9112 has a status line, and no other is: ${heads} generated heads`, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { answers, odd, different } = await compareHeads({ heads, seed });
  expect({ seed, different }).toEqual({ seed, different: [] });
  expect(answers).toBeGreaterThan(heads / 3);
  expect(odd).toBeGreaterThan(heads / 4);
});
