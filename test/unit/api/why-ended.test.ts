import { createErasedEvents } from '#lib/erasure';
import { createManualClock, formatMicros, silentLogger } from '#lib/runtime';
import { createKeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { credentialHash } from '../../../services/api/keys/key-text.ts';
import { type Asker, createWhyEnded, lookEveryMs } from '../../../services/api/keys/why-ended.ts';
import { fakeFollowedTable } from '../../support/fake-followed-table.ts';

test('whoever holds a request notices within two seconds that its key was revoked, whenever that is', async () => {
  for (let afterMs = 0; afterMs <= lookEveryMs; afterMs += 100) {
    const clock = createManualClock();
    const at = (): string => formatMicros(clock.nowMs() * 1_000);
    const row = {
      tenant: 'acme',
      id: 'key_1',
      scopes: ['read'],
      hash: credentialHash('x'),
      rate_limit: null,
      deleted_at: null as string | null,
      changed_at: at(),
    };
    const followed = (rows: object[]) => {
      const postgres = fakeFollowedTable(rows, async () => undefined);
      return { followPostgres: postgres, postgres, clock, log: silentLogger };
    };
    const keys = createKeyDirectory(followed([row]));
    const erased = createErasedEvents(followed([]));
    await keys.start();
    await erased.start();
    const whyEnded = createWhyEnded({ keys, erased, sessions: { isOpen: () => true, recent: () => undefined } });
    const key = keys.known('key_1');
    const asker = {
      tenant: 'acme',
      method: 'GET',
      params: {},
      routeOptions: { config: {} },
      caller: { type: 'key', id: 'key_1', key, tenant: 'acme', scopes: ['read'] },
    } as unknown as Asker;
    const look = async (): Promise<ReturnType<typeof whyEnded>> => {
      await clock.advance(lookEveryMs);
      await whyEnded.read();
      return whyEnded(asker);
    };
    expect(await look()).toBeUndefined();
    await clock.advance(afterMs);
    const revokedAtMs = clock.nowMs();
    Object.assign(row, { deleted_at: at(), changed_at: at() });
    await clock.advance(lookEveryMs - afterMs);
    await whyEnded.read();
    let ended = whyEnded(asker);
    if (ended === undefined) ended = await look();
    expect([afterMs, ended]).toEqual([afterMs, 'unauthorized']);
    expect(clock.nowMs() - revokedAtMs).toBeLessThan(2_000);
  }
});
