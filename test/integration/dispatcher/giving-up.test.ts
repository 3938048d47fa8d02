import type { Query } from '#lib/postgres';
import { createManualClock, noCrashPoints, silentLogger, systemClock } from '#lib/runtime';
import { createAnnouncementTable } from '../../../services/dispatcher/announcing/announcement-table.ts';
import { createPublishAnnouncements } from '../../../services/dispatcher/announcing/publish-announcements.ts';
import { createDisableEndpoint } from '../../../services/dispatcher/endpoints/disable-endpoint.ts';
import { createEndpointFailing } from '../../../services/dispatcher/endpoints/endpoint-failing.ts';
import { createFailingTable } from '../../../services/dispatcher/endpoints/failing-table.ts';
import { createWorld, type TestEndpoint, type World } from './world.ts';
import { documentedMembers } from '../../support/documented-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface EndpointState {
  revision: number;
  changed_at: string;
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: string | null;
  history: Record<string, unknown>[];
}

let world: World;
beforeEach(async () => {
  world = await createWorld('giving-up');
});
afterEach(async () => {
  await world?.stop();
  expect(world?.failures).toEqual([]);
});

const stateOf = async ({ id }: TestEndpoint): Promise<EndpointState> => {
  const [row] = await world.postgres.query<EndpointState>(
    'SELECT revision, changed_at, failing_since, disabled_at, disabled_reason, history FROM endpoints WHERE id = $1',
    [id],
  );
  return row as EndpointState;
};

/** As the api does for a person. */
const change = (endpoint: TestEndpoint, assignments: string, values: unknown[] = []): Promise<object[]> =>
  world.postgres.query(
    `UPDATE endpoints SET ${assignments}, changed_at = clock_timestamp(), revision = revision + 1 WHERE id = $1`,
    [endpoint.id, ...values],
  );

const operationalEvents = (): Promise<{ id: string; source_id: string; duplicates: number; payload: string }[]> =>
  world.postgres.query(
    `SELECT id, source_id, duplicates, convert_from(body, 'UTF8') AS payload
       FROM events JOIN event_payloads ON event_payloads.event_id = events.id
      WHERE type = 'hookline.endpoint.disabled'`,
  );

const toldOf = (endpoint: TestEndpoint, eventId: string | undefined): boolean =>
  world.arrivalsOf(endpoint).some((arrival) => arrival.eventId === eventId);

const areWaiting = async (): Promise<boolean> => (await world.postgres.query('SELECT FROM announcements')).length > 0;

const areFannedOut = (events: number): Promise<boolean> =>
  waitUntil(
    'all events are fanned out',
    async () => (await world.postgres.query('SELECT FROM fan_outs')).length === events,
  );

const eventIdsOfEnded = async (count: number): Promise<Set<string>> =>
  new Set((await world.ended(count)).map(({ event_id }) => event_id));

const idsOf = (events: readonly ({ id: string } | undefined)[]): Set<string> =>
  new Set(events.flatMap((event) => event?.id ?? []));

describe('an endpoint that is given up', () => {
  it.each([
    ['failing', 500],
    ['gone', 410],
  ])('(%s) is disabled, and an event tells who asks for it, once', async (reason, status) => {
    await world.startProjector();
    await world.startDedup();
    const retry = { base_seconds: 0.2, cap_seconds: 0.5 };
    const bad = await world.addEndpoint('bad', { retry }, { eventTypes: ['order.*', 'hookline.endpoint.disabled'] });
    const operator = await world.addEndpoint(
      'operator',
      {},
      { eventTypes: ['hookline.endpoint.disabled'], sourceIds: ['src_2'] },
    );
    const other = await world.addEndpoint('other');
    const since = '2026-01-01T00:00:00.000001Z';
    await world.postgres.query('UPDATE endpoints SET failing_since = $2 WHERE id = $1', [bad.id, since]);
    world.receiver.react(({ name }) => ({ status: name === 'bad' ? status : 200 }));
    const { metrics } = await world.startDispatcher({ HOOKLINE_ENDPOINT_FAILING_SECONDS: '10' });
    await world.publish(3);

    await waitUntil('the operator has been told', () => world.arrivalsOf(operator).length > 0);
    const { disabled_at, disabled_reason, revision, failing_since } = await stateOf(bad);
    expect({ disabled_reason, revision, failing_since }).toEqual({
      disabled_reason: reason,
      revision: 1,
      failing_since: since,
    });
    await waitUntil('the event is readable', async () => (await operationalEvents()).length > 0);
    const [event, ...more] = await operationalEvents();
    expect([event?.source_id, event?.duplicates, more]).toEqual(['hookline', 0, []]);
    expect(JSON.parse(event?.payload ?? '')).toEqual({
      type: 'hookline.endpoint.disabled',
      endpoint_id: bad.id,
      url: world.receiver.url('bad'),
      reason,
      ...(reason === 'failing' && { failing_since: since }),
      disabled_at,
      resource: `/v1/endpoints/${bad.id}`,
    });
    if (reason === 'failing')
      expect(Object.keys(JSON.parse(event?.payload ?? '') as object).toSorted()).toEqual(
        documentedMembers('hookline.endpoint.disabled').toSorted(),
      );
    // Three orders to two endpoints, one of them disabled; the event goes only to the operator.
    const ended = await world.ended(7);
    expect(ended.filter(({ event_id }) => event_id === event?.id)).toMatchObject([
      { endpoint_id: operator.id, status: 'delivered' },
    ]);
    expect([toldOf(bad, event?.id), toldOf(other, event?.id)]).toEqual([false, false]);
    expect(await metrics.metrics()).toContain(`hookline_endpoints_disabled_total{reason="${reason}"} 1`);
    await waitUntil('nothing is left to tell', async () => !(await areWaiting()));
  });

  it('is told of once where the one who tells dies before it has noted so', async () => {
    await world.startProjector();
    await world.startDedup();
    const endpoint = await world.addEndpoint('gone');
    const disable = createDisableEndpoint({
      postgres: world.postgres,
      metrics: { endpointDisabled: () => undefined },
      log: silentLogger,
    });
    await disable({ tenant: 'acme', id: endpoint.id, revision: 1 }, { reason: 'gone' });
    await world.postgres.query(`UPDATE announcements SET due_at = due_at - interval '10 seconds'`);
    const publish = async (record: Parameters<World['producer']['send']>[0]): Promise<void> =>
      void (await world.producer.send(record));
    const announceWith = (postgres: Query): Promise<void> =>
      createPublishAnnouncements({
        table: createAnnouncementTable(postgres),
        publish,
        topics: world.topics,
        clock: systemClock,
        crashPoints: noCrashPoints,
        log: silentLogger,
      })(new AbortController().signal);
    const dying: Query = {
      query: async (text, values) => {
        if (text.startsWith('DELETE')) throw new Error('killed');
        return world.postgres.query(text, values);
      },
    };
    await expect(announceWith(dying)).rejects.toThrow('killed');
    // Claimed, so no other process announces it for a minute.
    await announceWith(world.postgres);
    expect(await areWaiting()).toBe(true);
    await world.postgres.query(`UPDATE announcements SET claimed_until = clock_timestamp()`);
    await announceWith(world.postgres);
    expect(await areWaiting()).toBe(false);
    await waitUntil('its repetition is known', async () => (await operationalEvents())[0]?.duplicates === 1);
    expect(await operationalEvents()).toHaveLength(1);
  });

  it('is not, where a person has changed it meanwhile', async () => {
    const endpoint = await world.addEndpoint('changed');
    const disable = createDisableEndpoint({
      postgres: world.postgres,
      metrics: { endpointDisabled: () => undefined },
      log: silentLogger,
    });
    await change(endpoint, `url = url || '/new'`);
    const before = { tenant: 'acme', id: endpoint.id, revision: 1 };
    expect(await disable(before, { reason: 'gone' })).toBe(true);
    expect(await disable({ ...before, revision: 2 }, { reason: 'failing', since: 1 })).toBe(true);
    expect([(await stateOf(endpoint)).disabled_at, await areWaiting()]).toEqual([null, false]);
  });
});

describe('since when an endpoint fails', () => {
  it('is written where its next owner finds it, without a new revision, and cleared by what it takes and by a person', async () => {
    const endpoint = await world.addEndpoint('failing');
    const clock = createManualClock(Date.now());
    const failing = createEndpointFailing({
      table: createFailingTable(world.postgres),
      isAskedFor: () => false,
      disableEndpoint: async () => true,
      pausesOf: () => [],
      readPauses: () => undefined,
      failingMs: 5 * 24 * 3_600_000,
      clock,
      log: silentLogger,
    });
    const send = async (taken: boolean): Promise<EndpointState> => {
      const { revision, failing_since } = await stateOf(endpoint);
      const failingSince = failing_since === null ? null : Date.parse(failing_since) * 1_000;
      failing.observe(
        { tenant: 'acme', id: endpoint.id, revision, changedAt: 0, failingSince, outageSince: null },
        taken,
      );
      await clock.advance(61_000);
      await failing.settle();
      return stateOf(endpoint);
    };
    const before = await stateOf(endpoint);
    const firstFailedAt = clock.nowMs();
    const set = await send(false);
    expect(Date.parse(set.failing_since ?? '')).toBe(firstFailedAt);
    expect([set.revision, set.history, set.changed_at > before.changed_at]).toEqual([1, [], true]);
    expect((await send(true)).failing_since).toBeNull();
    expect((await send(false)).failing_since).not.toBeNull();
    await change(endpoint, `description = 'mended'`);
    expect((await stateOf(endpoint)).failing_since).toBeNull();
  });
});

describe('what an endpoint gets', () => {
  it('is what its filter takes', async () => {
    await world.startProjector();
    const endpoint = await world.addEndpoint('filtered', {}, { filter: { event: { $gte: 6 } } });
    await world.startDispatcher();
    const events = await world.publish(10);
    await areFannedOut(10);
    expect(await eventIdsOfEnded(4)).toEqual(idsOf(events.slice(6)));
    expect(world.arrivalsOf(endpoint)).toHaveLength(4);
  });

  it('is what it was to get two seconds before, and its history says since when', async () => {
    await world.startProjector();
    const endpoint = await world.addEndpoint('changing', {}, { sourceIds: ['src_1'], filter: { event: 0 } });
    await world.startDispatcher();
    await change(endpoint, `source_ids = '{src_2}', event_types = '{order.*}', filter = NULL`);
    const { changed_at, history } = await stateOf(endpoint);
    expect(history).toEqual([
      {
        until: changed_at,
        effective_at: expect.any(String) as string,
        open: true,
        event_types: [],
        source_ids: ['src_1'],
        filter: { event: 0 },
      },
    ]);
    const effectiveAt = Date.parse(String(history[0]?.['effective_at']));
    expect(effectiveAt - Date.parse(changed_at)).toBe(2_000);
    const [before] = await world.publish(2);
    expect(await world.ended(1)).toMatchObject([{ event_id: before?.id }]);
    await waitUntil('the change counts', () => Date.now() > effectiveAt);
    await world.publish(2);
    const after = await world.publish(2, undefined, 'src_2');
    await areFannedOut(6);
    expect(await eventIdsOfEnded(3)).toEqual(idsOf([before, ...after]));
  });

  it('is kept in its history for every change of that, in an order that no clock turns round', async () => {
    const endpoint = await world.addEndpoint('often');
    await change(endpoint, `description = 'none of it'`);
    for (const assignment of [
      'disabled_at = now()',
      'disabled_reason = $2',
      'disabled_at = NULL',
      'deleted_at = now()',
    ])
      await change(endpoint, assignment, assignment.includes('$2') ? ['by_request'] : []);
    expect((await stateOf(endpoint)).history).toMatchObject([{ open: true }, { open: false }, { open: true }]);

    await world.postgres.query(
      `UPDATE endpoints SET event_types = '{late}', changed_at = '2020-01-01Z', revision = revision + 1 WHERE id = $1`,
      [endpoint.id],
    );
    for (let index = 0; index < 110; index += 1) await change(endpoint, 'event_types = $2', [[`type.${index}`]]);
    const { history, changed_at } = await stateOf(endpoint);
    expect(history).toHaveLength(114);
    expect(history.at(-1)).toMatchObject({ event_types: ['type.108'], until: changed_at, open: false });
    const until = history.map((past) => String(past['until']));
    expect(until).toEqual(until.toSorted());
    expect(new Set(until).size).toBe(114);
  });
});
