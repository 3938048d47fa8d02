import { formOf, newKey } from '../../support/console/console-client.ts';
import { tryEndpoint } from '../../support/console/console-world.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Scene } from './console-scene.ts';

const secretIn = (text: string): string | undefined => /whsec_[A-Za-z0-9+/=_-]{20,}/.exec(text)?.[0];

export function describeSettings(scene: () => Scene): void {
  test('a form that makes an endpoint, sent twice and again, makes one, and shows its secret nowhere else', async () => {
    const { me, mine, world } = scene();
    const { t, api } = mine;
    const before = await api.list('/endpoints?limit=1000');
    const form = formOf(await me.get(`${t}/endpoints/new`), { action: '/endpoints/new' });
    const values = { url: world.receiver.url('made-by-form'), description: 'Made by a form' };
    const answers = await Promise.all([me.submit(form, values), me.submit(form, values)]);
    answers.push(await me.submit(form, values));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const secrets = answers.map(({ page }) => secretIn(page.text));
    expect(secrets[0]).toBeDefined();
    expect(new Set(secrets).size).toBe(1);
    const after = await api.list('/endpoints?limit=1000');
    expect(after.length).toBe(before.length + 1);
    const made = after.find(({ id }) => !before.some((old) => old.id === id));
    for (const path of ['', '/edit', '/rotate', '/test'].map((end) => `${t}/endpoints/${made?.id}${end}`)) {
      const { status, text } = await me.get(path);
      expect([path, status, text.includes(secrets[0] ?? '')]).toEqual([path, 200, false]);
    }
    const rotate = formOf(await me.get(`${t}/endpoints/${made?.id}/rotate`), { action: '/rotate' });
    const rotated = [await me.submit(rotate), await me.submit(rotate)];
    expect(rotated.map(({ status }) => status)).toEqual([201, 201]);
    expect(secretIn(rotated[0]?.page.text ?? '')).toBe(secretIn(rotated[1]?.page.text ?? ''));
    expect(secretIn(rotated[0]?.page.text ?? '')).not.toBe(secrets[0]);

    const remove = formOf(await me.get(`${t}/endpoints/${made?.id}/delete`), { action: '/delete' });
    expect((await me.submit(remove)).status).toBe(303);
    expect((await me.get(`${t}/endpoints/${made?.id}`)).status).toBe(410);
  });

  test('so does a form that makes a source', async () => {
    const { me, mine } = scene();
    const { t, api } = mine;
    const before = await api.list('/sources?limit=1000');
    const first = await me.get(`${t}/sources/new`);
    const page = first.page.forms.some(({ names }) => names.includes('name'))
      ? first
      : await me.get(`${t}/sources/new?scheme=hookline`);
    const form = formOf(page, { action: /\/sources\/new/, button: /Create|Make|Add/ });
    const values = { name: 'Made by a form', scheme: 'hookline' };
    const answers = [await me.submit(form, values), await me.submit(form, values)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const secrets = answers.map(({ page: { text } }) => secretIn(text));
    expect(secrets[0]).toBeDefined();
    expect(secrets[0]).toBe(secrets[1]);
    expect((await api.list('/sources?limit=1000')).length).toBe(before.length + 1);
  });

  test('what is wrong is said at its field and in a summary, and what was entered is kept', async () => {
    const { me, mine } = scene();
    const form = formOf(await me.get(`${mine.t}/endpoints/new`), { action: '/endpoints/new' });
    const wrong: readonly Readonly<Record<string, string>>[] = [
      { url: 'http://10.1.2.3/hooks', description: 'kept' },
      { url: 'no url', description: 'kept' },
      { url: 'https://example.com/', description: 'kept', filter: '{"a": {"$regex": "x"}}' },
      { url: 'https://example.com/', description: 'kept', filter: '{"a":' },
      { url: 'https://example.com/', description: 'kept', headers: 'Host: elsewhere' },
    ];
    for (const values of wrong) {
      const answer = await me.submit(form, { ...values, idempotency_key: newKey() });
      const field = Object.keys(values).find((name) => !['url', 'description'].includes(name)) ?? 'url';
      expect([values, answer.status]).toEqual([values, 400]);
      const again = formOf(answer, { action: '/endpoints/new' });
      for (const [name, value] of Object.entries(values)) expect(again.fields.get(name)).toBe(value);
      expect(answer.text).toMatch(
        new RegExp(`<[^>]* name="${field}"[^>]*aria-invalid="true"|aria-invalid="true"[^>]* name="${field}"`),
      );
      expect(answer.text).toMatch(/class="error-summary" role="alert"[^>]* autofocus/);
      // The summary leads to the field, wherever within it the mistake is.
      const targets = answer.page.links.filter((href) => href.startsWith('#field-'));
      expect([values, targets]).toEqual([
        values,
        targets.filter((href) => answer.text.includes(`id="${href.slice(1)}"`)),
      ]);
      expect(again.fields.get('idempotency_key')).not.toBe(form.fields.get('idempotency_key'));
    }
  });

  test.each(['endpoints', 'sources'])(
    'of two who edit one of the %s at once, the second is shown both versions, and nothing is lost',
    async (kind) => {
      const { me, mine, world } = scene();
      const { t, api } = mine;
      const isEndpoint = kind === 'endpoints';
      const made = await api.make(
        'POST',
        `/${kind}`,
        isEndpoint
          ? { url: world.receiver.url('edited'), description: 'as it was' }
          : { name: 'as it was', scheme: 'hookline' },
      );
      const path = `${t}/${kind}/${made.id}/edit`;
      const [text, other] = isEndpoint ? ['description', 'timeout_ms'] : ['name', 'timestamp_tolerance_seconds'];
      const [first, second] = [await me.get(path), await me.get(path)].map((answer) =>
        formOf(answer, { action: '/edit' }),
      );
      if (first === undefined || second === undefined) throw new Error('no forms');
      expect((await me.submit(first, { [text ?? '']: 'by the first' })).status).toBe(303);
      const refused = await me.submit(second, { [text ?? '']: 'by the second', [other ?? '']: '1234' });
      expect(refused.status).toBe(412);
      expect(refused.text).toContain('by the first');
      expect(refused.text).toContain('by the second');
      expect(await api.make('GET', `/${kind}/${made.id}`)).toMatchObject({ [text ?? '']: 'by the first' });
      const again = formOf(refused, { action: '/edit' });
      expect((await me.submit(again, { [text ?? '']: 'by both' })).status).toBe(303);
      expect(await api.make('GET', `/${kind}/${made.id}`)).toMatchObject({
        [text ?? '']: 'by both',
        [other ?? '']: 1234,
      });
      await api.make('DELETE', `/${kind}/${made.id}`);
    },
  );

  test('a test shows what the receiver answered, or that it did not', async () => {
    const { me, mine, world } = scene();
    const { t, api } = mine;
    const made = await api.make('POST', '/endpoints', { url: world.receiver.url('tried'), timeout_ms: 500 });
    const path = `${t}/endpoints/${made.id}/test`;
    const reactions = [
      [{ status: 204 }, /204/],
      [{ status: 500, body: 'the receiver is sorry' }, /500/],
      ['hang', /timeout|timed out|no answer in time/i],
    ] as const;
    for (const [reaction, says] of reactions) {
      world.receiver.react(() => reaction);
      const sent = await me.submit(formOf(await me.get(path), { action: '/test' }));
      expect(sent.status).toBe(303);
      // It may have to be reloaded, and then says so.
      const result = await waitUntil(
        `the page says ${String(says)}`,
        async () => {
          const answer = await me.get(sent.headers['location'] ?? '');
          expect(answer.status).toBe(200);
          return says.test(resultOf(answer.page.text)) ? answer : undefined;
        },
        { everyMs: 200 },
      );
      if (reaction !== 'hang' && reaction.status === 500) expect(result.page.text).toContain('the receiver is sorry');
    }
    world.receiver.react(({ name }) => ({ status: name.endsWith('refuses') ? 500 : 200 }));
    await api.make('DELETE', `/endpoints/${made.id}`);
  });

  test('the attempts of a delivery are those of the API, in their order, each with why it waited', async () => {
    const { me, mine, world } = scene();
    const { t, api } = mine;
    const made = await api.make('POST', '/endpoints', {
      url: world.receiver.url('slow'),
      retry: { base_seconds: 0.1, cap_seconds: 0.1 },
    });
    world.receiver.react(({ name, attempt }) => {
      if (name !== 'slow') return { status: name.endsWith('refuses') ? 500 : 200 };
      return attempt === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: attempt === 2 ? 500 : 200 };
    });
    const { id } = await tryEndpoint(api, made.id);
    await waitUntil(
      'it is delivered',
      async () => (await api.make('GET', `/deliveries/${id}`))['status'] === 'delivered',
      { everyMs: 200 },
    );
    const attempts = await api.list(`/deliveries/${id}/attempts`);
    const answer = await me.get(`${t}/deliveries/${id}`);
    expect(answer.status).toBe(200);
    expect(attempts.map((attempt) => attempt['http_status'])).toEqual([503, 500, 200]);
    const times = attempts.map((attempt) => answer.text.indexOf(`datetime="${String(attempt['at'])}"`));
    expect(times.every((at) => at >= 0)).toBe(true);
    expect(answer.page.text).toMatch(/Attempt 1 .*503.*Attempt 2 .*500.*Attempt 3 .*200/);
    expect(answer.page.text).toContain('Retry-After');
    for (const { attempt } of attempts as unknown as { attempt: number }[])
      expect((await me.get(`${t}/deliveries/${id}/attempts/${attempt}`)).status).toBe(200);
    expect((await me.get(`${t}/deliveries/${id}/attempts/4`)).status).toBe(404);
    const compared = await me.get(`${t}/compare?a=${id}/1&b=${id}/2`);
    expect([compared.status, compared.page.text.includes('503')]).toEqual([200, true]);
    await api.make('DELETE', `/endpoints/${made.id}`);
  });
}

/** The result on the page of a test, without the form. */
const resultOf = (text: string): string => /Result (.*?) Sends an event/.exec(text)?.[1] ?? '';
