import examples from '@octokit/webhooks-examples' with { type: 'json' };

const leastLength = 2_000;
const mostLength = 2_400;

/** Real payloads of GitHub's of about 2 kB, as JSON: what differs between them differs for every system. */
export const payloads: readonly string[] = (examples as unknown as { examples: unknown[] }[])
  .flatMap(({ examples: each }) => each.map((payload) => JSON.stringify(payload)))
  .filter(({ length }) => length >= leastLength && length <= mostLength);
