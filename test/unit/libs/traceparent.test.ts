import { childTraceparent, newTraceparent } from '#lib/telemetry';

const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const form = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

describe('traceparent', () => {
  test('a valid one of the sender is kept', () => {
    expect(newTraceparent(given)).toBe(given);
  });

  test.each([
    undefined,
    '',
    'junk',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    `${given}-more`,
  ])('%j starts a new trace', (invalid) => {
    const fresh = newTraceparent(invalid);
    expect(fresh).toMatch(form);
    expect(fresh).not.toBe(invalid);
  });

  test('an attempt has a span of its own in the same trace, with the same flags', () => {
    const child = childTraceparent(given);
    expect(child).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(child).not.toBe(given);
    expect(childTraceparent('junk')).toMatch(form);
  });
});
