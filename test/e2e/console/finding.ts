import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import type { Scene } from './console-scene.ts';

export function describeFinding(scene: () => Scene): void {
  test('whatever has an id is found by it', async () => {
    const { me, mine } = scene();
    const { t, ids, api } = mine;
    const [event] = await api.list(`/events?order=desc&event_id=${mine.name}-1`);
    const whole = await api.make('GET', `/events/${ids.evt}`);
    const found: Readonly<Record<string, string>> = {
      [ids.evt]: `${t}/events/${ids.evt}`,
      [String(event?.['receipt_id'])]: `${t}/events/${ids.evt}`,
      [`${mine.name}-1`]: `${t}/events/${ids.evt}`,
      [ids.dlv]: `${t}/deliveries/${ids.dlv}`,
      [ids.dl]: `${t}/dead-letters/${ids.dl}`,
      [ids.rpl]: `${t}/replays/${ids.rpl}`,
      [ids.ep]: `${t}/endpoints/${ids.ep}`,
      [ids.src]: `${t}/sources/${ids.src}`,
      ' customer:cus_9 ': `${t}/events/${ids.evt}`,
    };
    for (const [text, to] of Object.entries(found)) {
      const answer = await me.get(`${t}/jump?q=${encodeURIComponent(text)}`);
      expect([text, answer.status, answer.headers['location']]).toEqual([text, 303, to]);
    }
    if (typeof whole['trace_id'] === 'string')
      expect((await me.get(`${t}/jump?q=${whole['trace_id']}`)).status).not.toBe(404);
    expect((await me.get(`${t}/jump?q=nothing-has-this`)).status).toBe(404);
    expect((await me.get(`${t}/jump?q=x`)).status).toBe(400);
    expect((await me.get(`${t}/jump?q=${mine.deleted.ep}`)).status).toBe(410);
  });

  test('each filter of events is in the address, and chooses', async () => {
    const { me, mine } = scene();
    const { t, ids, source } = mine;
    for (const filter of [
      'type=order.paid',
      `source_id=${source.id}&type=order.paid`,
      'tag=customer%3Acus_9',
      `event_id=${mine.name}-1`,
      `endpoint_id=${mine.takes}&type=order.paid`,
    ]) {
      const answer = await me.get(`${t}/events?${filter}`);
      expect([filter, answer.status, answer.page.rows]).toEqual([filter, 200, 1]);
      expect([filter, answer.page.links.includes(`${t}/events/${ids.evt}`)]).toEqual([filter, true]);
    }
    const all = await me.get(`${t}/events?limit=1`);
    const older = all.page.links.find((href) => href.startsWith(`${t}/events?`) && href.includes('page='));
    expect(older).toBeDefined();
    const next = await me.get(older ?? '');
    expect([next.status, next.page.rows]).toEqual([200, 1]);
  });

  test('why an endpoint did not get an event is a sentence for each reason', async () => {
    const { world, me, mine } = scene();
    const { api, t } = mine;
    const settings: Readonly<Record<string, object>> = {
      type: { event_types: ['other.*'] },
      source: { source_ids: ['api'] },
      filter: { filter: { 'data.amount': { $gt: 1000 } } },
      disabled: {},
    };
    const ids: Record<string, string> = {};
    for (const [name, more] of Object.entries(settings))
      ids[name] = (await api.make('POST', '/endpoints', { url: world.receiver.url(`why-${name}`), ...more })).id;
    await delay(endpointSettlingMs);
    await api.make('POST', `/endpoints/${ids['disabled']}/disable`);
    await delay(endpointSettlingMs);
    const event = await mine.send('{"id":"why","type":"order.why","data":{"amount":5}}');
    const later = (await api.make('POST', '/endpoints', { url: world.receiver.url('why-later') })).id;
    const { text } = (await me.get(`${t}/events/${event}`)).page;
    const of = (name: string): string =>
      new RegExp(`/why-${name}.*?(?=127\\.0\\.0\\.1|$)`).exec(text.slice(text.indexOf('Who got it')))?.[0] ?? '';
    expect(of('type')).toContain('subscribes to other.*');
    expect(of('source')).toMatch(/takes events from .*, not from/);
    expect(of('filter')).toContain('data.amount');
    expect(of('disabled')).toContain('was disabled when the event came');
    expect(of('later')).toContain('created after the event');
    for (const id of [...Object.values(ids), later]) await api.make('DELETE', `/endpoints/${id}`);
  });

  test('two payloads are compared line by line, and equal ones are said to be', async () => {
    const { me, mine } = scene();
    const { t } = mine;
    const one = await mine.send('{"id":"one","type":"order.compared","amount":1.0}');
    const other = await mine.send('{"id":"other","type":"order.compared","amount":1.00}');
    const compared = await me.get(`${t}/compare?a=${one}&b=${other}`);
    expect(compared.status).toBe(200);
    expect(compared.page.text).toMatch(/2 lines removed, 2 lines added/);
    expect(compared.page.text).toContain('1.00');
    const same = await me.get(`${t}/compare?a=${one}&b=${one}`);
    expect([same.status, same.page.text.includes('Equal')]).toEqual([200, true]);
    expect((await me.get(`${t}/compare?a=${one}&b=nothing`)).status).toBe(400);
    const attempts = await me.get(`${t}/compare?a=${mine.ids.dlv}/1&b=${mine.ids.dlv}/2`);
    expect([200, 404]).toContain(attempts.status);
  });
}
