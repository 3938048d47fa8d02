import examples from '@octokit/webhooks-examples' with { type: 'json' };
import type { WebhookToSend } from '../support/sender.ts';
import { randomUuid } from '../support/seeded-random.ts';
import { signAsGithub } from '../support/sign-webhook.ts';

interface Example {
  name: string;
  examples: unknown[];
}

/** Every payload that GitHub's community has collected, as GitHub would send it: compact JSON, named, numbered and signed. */
export function githubPayloads(secret: string, random: () => number): WebhookToSend[] {
  return (examples as unknown as Example[]).flatMap(({ name, examples: payloads }) =>
    payloads.map((payload) => {
      const body = Buffer.from(JSON.stringify(payload));
      const identity = randomUuid(random);
      return {
        identity,
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/044aadd',
          'x-github-event': name,
          'x-github-delivery': identity,
          ...signAsGithub(secret, body),
        },
      };
    }),
  );
}
