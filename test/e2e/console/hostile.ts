import { eventOfReceipt, sendWebhook, tryEndpoint } from '../../support/console/console-world.ts';
import type { Scene } from './console-scene.ts';

export const marker = 'hostile';
const attack = `<script>${marker}()</script><img src=x onerror=${marker}()>" onload="${marker}()' \u202egnp.js javascript:${marker}()`;
/** A type is one line that reads as it is: it can’t have the character that turns the direction. */
const attackingType = `x"><script>${marker}()</script>`;

/** Text that would run, or change the page, in every place that others write to. @returns the pages that show it */
export async function plantAttacks({ mine, world }: Scene): Promise<string[]> {
  const { api, t } = mine;
  world.receiver.react(({ name }) =>
    name.startsWith('attacked')
      ? {
          status: 400,
          headers: { 'content-type': 'text/html', 'x-attack': `"><script>${marker}()</script>` },
          body: attack,
        }
      : { status: name.endsWith('refuses') ? 500 : 200 },
  );
  const endpoint = await api.make('POST', '/endpoints', {
    url: `${world.receiver.url('attacked')}/'"><script>${marker}()</script>?q=javascript:${marker}()`,
    description: attack,
    headers: { 'X-Attack': `"><script>${marker}()</script>` },
    retry: { max_attempts: 1 },
  });
  const source = (await api.make('POST', '/sources', {
    name: attack,
    scheme: 'hookline',
    event_type_from: ['/type'],
    dedup_id: ['/id'],
    tags_from: { attack: '/tag' },
  })) as unknown as typeof mine.source;
  const receipt = await sendWebhook(
    source,
    Buffer.from(JSON.stringify({ id: attack, type: attackingType, tag: attack, [attack]: attack })),
    { 'x-attack': `"><script>${marker}()</script>`, 'user-agent': `<script>${marker}()</script>` },
  );
  const event = await eventOfReceipt(api, receipt);
  const delivery = await tryEndpoint(api, endpoint.id, { type: attackingType, payload: { attack } });
  await api.make('POST', '/events', { type: attackingType, payload: { attack }, event_id: attack.slice(0, 100) });
  const deadLetter = await api.first(`/dead-letters?endpoint_id=${endpoint.id}`);
  await api.make('POST', '/api-keys', { name: attack.slice(0, 60), scopes: ['read'] });
  return [
    t,
    `${t}/events`,
    `${t}/events/${event.id}`,
    `${t}/events/${event.id}/payload`,
    `${t}/events?type=${encodeURIComponent(attackingType)}`,
    `${t}/events?tag=${encodeURIComponent(`attack:${attack}`)}`,
    `${t}/compare?a=${event.id}&b=${String(delivery['event_id'])}`,
    `${t}/deliveries`,
    `${t}/deliveries/${delivery.id}`,
    `${t}/deliveries/${delivery.id}/attempts/1`,
    `${t}/endpoints`,
    `${t}/endpoints/${endpoint.id}`,
    `${t}/endpoints/${endpoint.id}/edit`,
    `${t}/sources`,
    `${t}/sources/${source.id}`,
    `${t}/sources/${source.id}/edit`,
    `${t}/dead-letters`,
    `${t}/dead-letters/${deadLetter.id}`,
    `${t}/replays/new?what=dead_letters&endpoint_id=${endpoint.id}`,
    `${t}/keys`,
    `${t}/audit`,
    `${t}/jump?q=${encodeURIComponent(attack.slice(0, 200))}`,
  ];
}

export function describeHostileText(scene: () => Scene): void {
  test('text of others is text wherever it is shown', async () => {
    const { me } = scene();
    const pages = await plantAttacks(scene());
    let shown = 0;
    for (const path of pages) {
      const { status, text } = await me.get(path);
      expect([path, [200, 404].includes(status)]).toEqual([path, true]);
      const tags = text.match(/<[a-z][^>]*>/gi) ?? [];
      expect([path, tags.filter((tag) => /^<script/i.test(tag) && !/\ssrc="\/assets\//.test(tag))]).toEqual([path, []]);
      expect([path, tags.filter((tag) => /\son[a-z]+\s*=/i.test(tag.replace(/"[^"]*"/g, '""')))]).toEqual([path, []]);
      expect([path, tags.filter((tag) => /\s(href|src|action)="\s*javascript:/i.test(tag))]).toEqual([path, []]);
      expect([path, tags.filter((tag) => /^<img/i.test(tag))]).toEqual([path, []]);
      if (text.includes(marker)) shown += 1;
    }
    expect(shown).toBeGreaterThan(5);
  });
}
