import { endpointDefaults } from '#lib/contract';
import { createManualClock } from '#lib/runtime';
import { createReadContents } from '../../../services/dispatcher/waiting/read-contents.ts';
import type { OverdueRow } from '../../../services/dispatcher/waiting/overdue-table.ts';
import { createEndOverdue } from '../../../services/dispatcher/waiting/end-overdue.ts';
import type { Standing } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import type { Job } from '../../../services/dispatcher/model/job.ts';
import type { EndUnsent } from '../../../services/dispatcher/send/outcome-writer.ts';
import type { WaitingRow } from '../../../services/dispatcher/model/waiting-row.ts';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import { aDelivery, anEndpoint, secondMicros, startMicros } from './fixtures.ts';

const minuteMs = 60_000;
const hourMicros = 3_600 * secondMicros;

const aRow = (overrides: Partial<OverdueRow> = {}): OverdueRow => ({
  tenant: 'acme',
  deliveryId: 'dlv_1',
  partition: 0,
  endpointId: 'ep_1',
  eventId: 'evt_1',
  generation: 0,
  state: 'parked' as const,
  dueAt: 1,
  step: 3,
  attempts: 2,
  createdAt: 1,
  order: undefined,
  notBefore: null,
  payloadBytes: 11,
  ...overrides,
});

function createWorld() {
  const clock = createManualClock();
  const owned = createOwnedPartitions(clock);
  owned.assigned([{ topic: 'deliveries', partition: 0 }]);
  const recentSteps = createRecentSteps(clock);
  const world = {
    standing: 'open' as Standing['kind'],
    /** The table's answers. */
    ofLanes: [] as OverdueRow[],
    withoutEvent: [] as WaitingRow[],
    writtenAt: startMicros,
    lanesAsked: [] as unknown[],
    held: undefined as Job | undefined,
    endpoint: {} as Partial<Endpoint>,
    paused: [] as Endpoint[],
    ended: [] as { job: Job; end: EndUnsent }[],
  };
  const { tenant, eventType, receivedAt, orderingKey, traceparent, contentType, contentEncoding, payload } =
    aDelivery();
  const endOverdue = createEndOverdue({
    table: {
      ofLanes: async ({ lanes }) => (world.lanesAsked.push(lanes), world.ofLanes),
      withoutEvent: async () => world.withoutEvent,
      writtenAt: async () => world.writtenAt,
    },
    readContents: createReadContents(
      {
        contents: async (events) =>
          events.map(({ eventId }) => ({
            tenant,
            eventId,
            type: eventType,
            receivedAt,
            orderingKey,
            traceparent,
            contentType,
            contentEncoding,
            payload,
            request: null,
            trail: [],
          })),
      },
      { get: () => undefined },
    ),
    owned,
    directory: { get: () => anEndpoint(world.endpoint), paused: () => world.paused, recent: () => undefined },
    health: {
      remembered: () => [{ tenant: 'acme', endpointId: 'ep_1' }],
      standingOf: () => ({ kind: world.standing, width: 1, pausedUntilMs: 0 }) as Standing,
    },
    scheduler: { held: () => world.held },
    recentSteps,
    outcomes: { ended: async (job, end) => void world.ended.push({ job, end }) },
    clock,
  });
  /** One look at the tables. */
  const look = async (): Promise<void> => {
    await clock.advance(minuteMs);
    await endOverdue();
  };
  return { world, look, recentSteps, endOverdue, clock };
}

describe('what waits and can’t come back', () => {
  it('ends, with its payload, when its window is over and its endpoint is given up', async () => {
    const { world, look, clock } = createWorld();
    world.ofLanes = [aRow()];
    await look();
    expect(world.lanesAsked).toEqual([
      [
        {
          tenant: 'acme',
          endpointId: 'ep_1',
          createdBy: clock.nowMs() * 1_000 - endpointDefaults.retry.window_seconds * secondMicros,
        },
      ],
    ]);
    expect(world.ended).toMatchObject([
      {
        job: { step: 4, attempts: 2, delivery: { id: 'dlv_1', payload: aDelivery().payload } },
        end: { status: 'dead_lettered', reason: 'retries_exhausted' },
      },
    ]);
  });

  it('ends later by the pauses of its endpoint', async () => {
    const { world, look, clock } = createWorld();
    const paused = 5 * hourMicros;
    const until = clock.nowMs() * 1_000 - hourMicros;
    world.endpoint = { pauses: [{ from: until - paused, until }] };
    await look();
    const windowMicros = endpointDefaults.retry.window_seconds * secondMicros;
    expect(world.lanesAsked).toMatchObject([[{ createdBy: clock.nowMs() * 1_000 - windowMicros - paused }]]);
  });

  it('waits as long as its endpoint is paused, but no longer than its payload is kept', async () => {
    const { world, look, clock } = createWorld();
    world.standing = 'paused';
    const endpoint = anEndpoint({ pauses: [{ from: 0, until: startMicros + 24 * hourMicros }] });
    world.paused = [endpoint];
    await look();
    expect(world.lanesAsked).toEqual([
      [{ tenant: 'acme', endpointId: 'ep_1', createdBy: (clock.nowMs() - endpoint.longestLifeMs) * 1_000 }],
    ]);
  });

  it.each(['healthy', 'shrunk', 'half-open'] as const)('is not looked for in a lane that is %s', async (kind) => {
    const { world, look } = createWorld();
    world.standing = kind;
    await look();
    expect(world.lanesAsked).toEqual([[]]);
  });

  it('is looked for once a minute', async () => {
    const { world, look, endOverdue } = createWorld();
    await endOverdue();
    await look();
    await endOverdue();
    expect(world.lanesAsked).toHaveLength(1);
  });

  it('is left alone while it is in hand, or was done lately', async () => {
    const { world, look, recentSteps } = createWorld();
    world.ofLanes = [aRow()];
    world.held = {} as Job;
    await look();
    world.held = undefined;
    recentSteps.remember({ tenant: 'acme', id: 'dlv_1' }, 4, 'retrying');
    await look();
    expect(world.ended).toEqual([]);
  });

  it('ends without its event, once the tables have been written to for an hour and still do not have it', async () => {
    const { world, look } = createWorld();
    world.withoutEvent = [aRow()];
    await look();
    world.writtenAt = startMicros + hourMicros - 1;
    await look();
    expect(world.ended).toEqual([]);
    world.writtenAt += 1;
    await look();
    expect(world.ended).toMatchObject([
      {
        job: { delivery: { payload: Buffer.alloc(0) } },
        end: { status: 'dead_lettered', reason: 'event_unavailable' },
      },
    ]);
  });

  it('waits on where the projector is away, however long', async () => {
    const { world, look } = createWorld();
    world.withoutEvent = [aRow()];
    for (let looks = 0; looks < 200; looks += 1) await look();
    expect(world.ended).toEqual([]);
  });

  it('is counted from anew where its event came and went', async () => {
    const { world, look } = createWorld();
    world.withoutEvent = [aRow()];
    await look();
    world.withoutEvent = [];
    await look();
    world.withoutEvent = [aRow()];
    world.writtenAt = startMicros + 2 * hourMicros;
    await look();
    expect(world.ended).toEqual([]);
  });
});
