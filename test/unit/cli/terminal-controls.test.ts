import { request } from 'undici';
import { runHookline } from '../../support/run-hookline.ts';
import { type Answered, startFakeApi } from './fake-api.ts';
import { endHookline, startHookline } from './start-hookline.ts';
afterEach(endHookline);

/** ESC, DEL, CSI of C1, the turn to right-to-left, a soft hyphen, an end of line and of paragraph, a tag beyond 16 bits. */
const hostile = 'a\u001b[2J\u007f\u009b2J\u202e\u00ad\u2028\u2029\u{e0041}z';
const moving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const shown = (text: string): string => text.replaceAll('\n', '');

let api: Awaited<ReturnType<typeof startFakeApi>>;
let answer: Answered;
beforeAll(async () => void (api = await startFakeApi(() => answer)));
afterAll(() => api.stop());

const event = { id: 'evt_1', type: hostile, [hostile]: 1, status: 'completed', updated_at: hostile, deliveries: {} };

describe('text of others that would move the cursor of a terminal', () => {
  test.each([
    ['one thing', ['events', 'show', 'evt_1'], event],
    ['a list', ['events', 'list'], [event]],
    ['a line for each change', ['events', 'tail', '--count', '1'], [event]],
  ])('is escaped in the JSON of %s, which is read as the same', async (_what, args, body) => {
    answer = { status: 200, body, headers: { 'hookline-cursor': 'c' } };
    const { code, stdout } = await runHookline([...args, '--json'], { env: api.env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(args[1] === 'tail' ? event : body);
    expect(shown(stdout)).not.toMatch(moving);
    expect(stdout).toContain(String.raw`a\u001b[2J\u007f\u009b2J\u202e\u00ad\u2028\u2029\udb40\udc41z`);
  });

  test.each([
    ['one thing', ['events', 'show', 'evt_1'], event],
    ['a list', ['events', 'list'], [event]],
    ['a line for each change', ['events', 'tail', '--count', '1'], [event]],
  ])('is replaced in %s for a person', async (_what, args, body) => {
    answer = { status: 200, body, headers: { 'hookline-cursor': 'c' } };
    const { stdout } = await runHookline(args, { env: api.env });
    expect(stdout).toContain('a?[2J??2J');
    expect(shown(stdout)).not.toMatch(moving);
  });

  test.each([
    [
      'a problem document',
      { title: hostile, code: hostile, detail: hostile, errors: [{ field: hostile, message: hostile }] },
    ],
    ['what something in between answers', hostile],
  ])('reaches the standard error neither as text nor as JSON, in %s', async (_what, body) => {
    answer = { status: 400, body };
    for (const more of [[], ['--json']]) {
      const { code, stderr } = await runHookline(['events', 'list', ...more], { env: api.env });
      expect(code).toBe(1);
      expect(stderr.length).toBeGreaterThan(20);
      expect(shown(stderr)).not.toMatch(moving);
    }
  });

  test('is escaped in the JSON of what a receiver got', async () => {
    const command = startHookline(['listen', '--port', '0', '--json', '--count', '1']);
    const { url } = JSON.parse(await command.line('listening')) as { url: string };
    await request(url, { method: 'POST', body: hostile, headers: { 'content-type': 'text/plain' } });
    const line = await command.line('"kind":"request"');
    expect(line).not.toMatch(moving);
    expect(JSON.stringify(JSON.parse(line))).toContain(JSON.stringify(hostile));
    expect(await command.ended).toBe(0);
  });
});
