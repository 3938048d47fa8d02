import { waitUntil } from '../../support/wait-until.ts';
import { formOf, newKey, type PageAnswer } from '../../support/console/console-client.ts';
import type { Furnished } from '../../support/console/console-world.ts';
import type { Scene } from './console-scene.ts';

/** Sends events that die. */
async function deadLetters(mine: Furnished, type: string, n: number): Promise<void> {
  for (let i = 0; i < n; i += 1) await mine.send(`{"id":"${newKey()}","type":"${type}"}`);
  await waitUntil(`${n} have died`, async () => (await deadOf(mine, type)) >= n, { everyMs: 200 });
}

/**
 * The same without a circuit breaker, which holds back what follows on several failures: they wait as they are told, until it is disabled.
 * They are sent at once: a lane pauses for up to a minute after an answer with Retry-After, and lets the next one go then.
 */
export async function deadByDisabling(
  { receiver }: Scene['world'],
  mine: Furnished,
  type: string,
  n: number,
): Promise<void> {
  const { api, send, spare } = mine;
  receiver.react(() => ({ status: 503, headers: { 'retry-after': '3600' } }));
  await Promise.all(Array.from({ length: n }, () => send(`{"id":"${newKey()}","type":"${type}"}`)));
  const all = `/deliveries?endpoint_id=${spare}&event_type=${type}&status=retrying`;
  await waitUntil('all wait', async () => (await api.list(all)).length === n);
  await api.make('POST', `/endpoints/${spare}/disable`);
  await waitUntil('all have died', async () => (await deadOf(mine, type)) === n, { everyMs: 200 });
  await api.make('POST', `/endpoints/${spare}/enable`);
  receiver.react(() => ({ status: 200 }));
}

const deadOf = async ({ api }: Furnished, type: string): Promise<number> =>
  (await api.list(`/dead-letters?event_type=${type}&status=dead&limit=1000`)).length;

export function describeReplaying(scene: () => Scene): void {
  test('a form that is sent twice, and again after going back, makes one replay', async () => {
    const { me, mine } = scene();
    const path = `${mine.t}/events/${mine.ids.evt}/replay`;
    const before = await mine.api.list('/replays');
    const form = formOf(await me.get(path), { action: '/replay' });
    const answers = await Promise.all([me.submit(form), me.submit(form)]);
    answers.push(await me.submit(form));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new Set(answers.map(({ headers }) => headers['location'])).size).toBe(1);
    expect((await mine.api.list('/replays')).length).toBe(before.length + 1);

    // Another form is another replay.
    const [again, next] = [await me.get(path), await me.get(path)].map((answer) =>
      formOf(answer, { action: '/replay' }),
    );
    expect(again?.fields.get('idempotency_key')).not.toBe(next?.fields.get('idempotency_key'));
    expect((await me.submit(form, { idempotency_key: '' })).status).toBe(400);
  });

  test('a preview says how many, of which endpoint and why; what dies after it is not taken; and the sum is right', async () => {
    const { me, mine, world } = scene();
    const { t, api } = mine;
    await deadLetters(mine, 'failing.one', 3);
    const filter = `what=dead_letters&event_type=failing.one&endpoint_id=${mine.refuses}`;
    const n = 3;
    const preview = await me.get(`${t}/replays/new?${filter}`);
    expect(preview.status).toBe(200);
    expect(preview.page.text).toContain(`${n} dead letters`);
    expect(preview.page.text).toMatch(new RegExp(`retries exhausted ${n}`));
    const form = formOf(preview, { button: new RegExp(`Start replay of ${n}`) });

    await deadLetters(mine, 'failing.one', 1);
    await waitUntil('one more has died', async () => (await deadOf(mine, 'failing.one')) === n + 1, { everyMs: 200 });
    world.receiver.react(() => ({ status: 200 }));
    const started = await Promise.all([me.submit(form), me.submit(form)]);
    expect(started.map(({ status }) => status)).toEqual([303, 303]);
    const [path = ''] = new Set(started.map(({ headers }) => headers['location'] ?? ''));
    // Nobody looks on: it goes on all the same.
    const ended = await api.first('/replays', ({ id, status }) => path.endsWith(id) && status === 'completed');
    world.receiver.react(({ name }) => ({ status: name.endsWith('refuses') ? 500 : 200 }));
    expect(ended).toMatchObject({ matched: n, replayed: n, failed: 0, remaining: 0 });
    const result = await me.get(path);
    expect(result.page.text).toContain(`${n} of ${n} done`);
    expect(await deadOf(mine, 'failing.one')).toBe(1);
  });

  test('a preview of nothing is a 404 with the form, and one that was not counted starts nothing', async () => {
    const { me, mine } = scene();
    const nothing = await me.get(`${mine.t}/replays/new?what=dead_letters&event_type=never.was`);
    expect([nothing.status, nothing.page.forms.some(({ fields }) => fields.get('event_type') === 'never.was')]).toEqual(
      [404, true],
    );
    expect((await me.get(`${mine.t}/replays/new?what=everything`)).status).toBe(400);
    const before = await mine.api.list('/replays');
    expect((await me.post(`${mine.t}/replays/new?what=dead_letters`, {})).status).toBe(400);
    expect(await mine.api.list('/replays')).toEqual(before);
  });

  test('a replay that is cancelled says what was not sent, which is dead again', async () => {
    const { me, mine, world } = scene();
    const { t, api } = mine;
    await deadByDisabling(world, mine, 'spare.parts', 6);
    // The second goes after a hundred seconds.
    const filter = `what=dead_letters&event_type=spare.parts&rate_per_second=0.01`;
    const preview = await me.get(`${t}/replays/new?${filter}`);
    const started = await me.submit(formOf(preview, { button: /Start replay/ }));
    const path = started.headers['location'] ?? '';
    const running = await waitUntil<PageAnswer>(
      'one was sent',
      async () => {
        const answer = await me.get(path);
        return / [1-9]\d* of \d+ done/.test(answer.page.text) ? answer : undefined;
      },
      { everyMs: 200 },
    );
    expect(running.page.links).toContain(`${path}/cancel`);
    const cancelled = await me.submit(formOf(await me.get(`${path}/cancel`), { action: '/cancel' }));
    expect([cancelled.status, cancelled.headers['location']]).toEqual([303, path]);
    const ended = await api.first('/replays', ({ id, status }) => path.endsWith(id) && status === 'cancelled');
    const left = Number(ended['remaining']);
    expect(left).toBeGreaterThan(0);
    await waitUntil('it is said', async () => (await me.get(path)).page.text.includes(`${left} left as they were`), {
      everyMs: 200,
    });
    expect(await deadOf(mine, 'spare.parts')).toBe(left);
    world.receiver.react(({ name }) => ({ status: name.endsWith('refuses') ? 500 : 200 }));
  });
}
