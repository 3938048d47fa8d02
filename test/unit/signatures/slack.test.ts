import { signatureSchemes } from '#lib/signatures';

const challengeOf = (body: string | Buffer): string | undefined =>
  signatureSchemes.slack.challengeOf?.(Buffer.from(body as string));

describe('a challenge of slack', () => {
  test('is answered with its own text', () => {
    expect(challengeOf('{"token":"x","challenge":"3eZbrw1aBm2r","type":"url_verification"}')).toBe('3eZbrw1aBm2r');
    expect(challengeOf('{ "type" : "url_verification", "challenge" : "" }')).toBe('');
  });

  test.each([
    ['an event', '{"type":"event_callback","event":{"type":"message","text":"url_verification"}}'],
    [
      'an event with a challenge in it',
      '{"type":"event_callback","event":{"type":"url_verification","challenge":"x"}}',
    ],
    ['a challenge that is no text', '{"type":"url_verification","challenge":1}'],
    ['no challenge', '{"type":"url_verification"}'],
    ['a list', '["url_verification"]'],
    ['null', 'null'],
    ['a text', '"url_verification"'],
    ['no JSON', 'url_verification'],
    ['a form', 'type=url_verification&challenge=x'],
    ['more than a challenge has', `{"type":"url_verification","challenge":"${'x'.repeat(5_000)}"}`],
    ['nothing', ''],
  ])('is not seen in %s', (_what, body) => {
    expect(challengeOf(body)).toBeUndefined();
  });
});

test('no other scheme has challenges in bodies', () => {
  const schemes = Object.entries(signatureSchemes).filter(([, scheme]) => scheme.challengeOf !== undefined);
  expect(schemes.map(([name]) => name)).toEqual(['slack']);
});
