import { createManualClock, silentLogger } from '#lib/runtime';
import { createEndpointHealth } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import { laneClassOf } from '../../../services/dispatcher/lanes/turns.ts';
import type { EndpointFacts } from '../../../services/dispatcher/endpoints/endpoint-facts.ts';
import type { SendVerdict } from '../../../services/dispatcher/endpoints/send-verdict.ts';
import { aDelivery } from './fixtures.ts';

const failed: SendVerdict = { kind: 'failed' };
const unreachable: SendVerdict = { kind: 'unreachable' };
const well: SendVerdict = { kind: 'well' };

function createWorld() {
  const clock = createManualClock();
  const facts = new Map<string, EndpointFacts>();
  const usual: EndpointFacts = { maxInFlight: 3, revision: 1, isClosed: false };
  const counts = { slow: 0, open: 0, 'half-open': 0, shrunk: 0 };
  const lines: Record<string, unknown>[] = [];
  const closed: string[] = [];
  const health = createEndpointHealth({
    factsOf: ({ endpointId }) => facts.get(endpointId) ?? usual,
    metrics: { breakers: (now) => void Object.assign(counts, now) },
    onClosed: ({ endpointId }) => closed.push(endpointId),
    clock,
    random: () => 1,
    log: { ...silentLogger, info: (line) => void lines.push(line) },
  });
  let sends = 0;
  const send = (verdict: SendVerdict | undefined, endpointId = 'ep_1'): void =>
    health.begin(aDelivery({ id: `dlv_${(sends += 1)}`, endpointId }))(verdict);
  const open = async (endpointId = 'ep_1'): Promise<void> => {
    for (let sent = 0; sent < 5; sent += 1) send(failed, endpointId);
    await clock.advance(30_000);
    send(failed, endpointId);
  };
  const standing = (endpointId = 'ep_1') => health.standingOf({ tenant: 'acme', endpointId });
  return { closed, clock, facts, usual, counts, lines, health, send, open, standing };
}

describe('what is known of endpoints', () => {
  it('is nothing of those that are well', () => {
    const { health, send, standing } = createWorld();
    for (let sent = 0; sent < 100; sent += 1) send(well, `ep_${sent}`);
    expect([...health.remembered()]).toEqual([]);
    expect(standing()).toMatchObject({ kind: 'healthy', width: 3 });
  });

  it('is forgotten once it is made good', () => {
    const { health, send, standing, counts } = createWorld();
    send(unreachable);
    expect(standing()).toMatchObject({ kind: 'shrunk', width: 1 });
    expect(counts).toEqual({ slow: 0, open: 0, 'half-open': 0, shrunk: 1 });
    for (let sent = 0; sent < 3; sent += 1) send(well);
    expect(standing()).toMatchObject({ kind: 'healthy', width: 3 });
    expect([[...health.remembered()], counts]).toEqual([[], { slow: 0, open: 0, 'half-open': 0, shrunk: 0 }]);
  });

  it('is told by a metric and by one line for each change of a breaker, probes that fail left out', async () => {
    const { closed, open, send, clock, counts, lines, standing } = createWorld();
    await open();
    expect(counts).toEqual({ slow: 0, open: 1, 'half-open': 0, shrunk: 0 });
    await clock.advance(1_000);
    send(failed);
    await clock.advance(2_000);
    expect(standing()).toMatchObject({ kind: 'probe', freshToo: false });
    await clock.advance(2_500);
    expect(standing()).toMatchObject({ kind: 'probe', freshToo: true });
    send(well);
    expect(counts).toEqual({ slow: 0, open: 0, 'half-open': 1, shrunk: 0 });
    for (let sent = 0; sent < 3; sent += 1) send(well);
    expect(closed).toEqual([]);
    send(well);
    expect(closed).toEqual(['ep_1']);
    expect(lines).toEqual(
      [
        ['closed', 'open'],
        ['probing', 'half-open'],
        ['half-open', 'closed'],
      ].map(([from, to]) => ({ event: 'breaker.changed', tenant: 'acme', endpointId: 'ep_1', from, to })),
    );
  });

  it('is sent to slowly after a breaker has closed, however it had failed', async () => {
    const { open, send, clock, standing } = createWorld();
    await open();
    await clock.advance(1_000);
    send(well);
    expect([standing().kind, standing().width, laneClassOf(standing())]).toEqual(['half-open', 1, 'sick']);
  });

  it('does not take a send that was begun before its breaker opened for its probe', async () => {
    const { open, clock, health, standing } = createWorld();
    const late = [health.begin(aDelivery({ id: 'late1' })), health.begin(aDelivery({ id: 'late2' }))];
    await open();
    await clock.advance(1_000);
    late[0]?.(well);
    expect(standing().kind).toBe('probe');
    health.begin(aDelivery({ id: 'probe' }));
    late[1]?.(failed);
    expect(standing().kind).toBe('open');
  });

  it('holds for the revision that was sent to, and for endpoints that are open', async () => {
    const { open, health, facts, usual, standing, send, counts } = createWorld();
    await open();
    const late = health.begin(aDelivery({ id: 'late', endpointId: 'ep_2' }));
    facts.set('ep_1', { ...usual, revision: 2 }).set('ep_2', { ...usual, revision: 2 });
    expect([standing().kind, counts.open]).toEqual(['healthy', 0]);
    late(unreachable);
    expect(standing('ep_2').kind).toBe('healthy');
    send(unreachable, 'ep_3');
    facts.set('ep_3', { ...usual, isClosed: true });
    expect(standing('ep_3').kind).toBe('healthy');
  });

  it('is forgotten after an hour without a send', async () => {
    const { open, health, clock, counts } = createWorld();
    await open();
    await clock.advance(3_600_000);
    expect([...health.remembered()]).toHaveLength(1);
    await clock.advance(1);
    expect([[...health.remembered()], counts.open]).toEqual([[], 0]);
  });

  describe('where its sends hold their places for long', () => {
    const sendFor = async ({ health, clock }: ReturnType<typeof createWorld>, ms: number, verdict = well) => {
      const ended = health.begin(aDelivery({ id: `dlv_${clock.monotonicMs()}` }));
      await clock.advance(ms);
      ended(verdict);
    };

    it('is slow, though each is answered 200, with a breaker that stays closed and all its width', async () => {
      const world = createWorld();
      await sendFor(world, 55_000);
      expect(world.standing()).toMatchObject({ kind: 'slow', width: 3, meanMs: 2_500 });
      expect([laneClassOf(world.standing()), world.counts.slow]).toEqual(['slow', 1]);
      for (let sent = 0; sent < 20; sent += 1) await sendFor(world, 55_000);
      expect(world.standing()).toMatchObject({ kind: 'slow', width: 3 });
      expect(world.lines).toEqual([]);
    });

    it('is found out about one that takes three seconds each time, whatever comes of it', async () => {
      const world = createWorld();
      for (let sent = 0; sent < 5; sent += 1) await sendFor(world, 3_000, sent % 2 === 0 ? well : failed);
      expect(world.standing().kind).toBe('slow');
    });

    it('is forgotten after some quick ones, and says nothing after one that was slow for once', async () => {
      const world = createWorld();
      for (let sent = 0; sent < 10; sent += 1) await sendFor(world, 55_000);
      for (let sent = 0; sent < 6; sent += 1) await sendFor(world, 20);
      expect(world.standing().kind).toBe('healthy');
      for (let sent = 0; sent < 5; sent += 1) await sendFor(world, 20);
      expect([[...world.health.remembered()], world.counts.slow]).toEqual([[], 0]);
      await sendFor(world, 4_000);
      expect(world.standing().kind).toBe('healthy');
    });
  });

  it('of one tenant is not forgotten for what another has', () => {
    const { health, standing } = createWorld();
    health.begin(aDelivery({ id: 'dlv_own', endpointId: 'ep_1' }))(unreachable);
    for (let sent = 0; sent < 10_100; sent += 1)
      health.begin(aDelivery({ id: `dlv_${sent}`, tenant: 'other', endpointId: `ep_${sent}` }))(unreachable);
    expect([...health.remembered()]).toHaveLength(10_000);
    expect(standing('ep_1').kind).toBe('shrunk');
  });

  it('is bounded: beyond ten thousand the one known longest counts as healthy again', () => {
    const { health, send, standing, counts } = createWorld();
    for (let sent = 0; sent <= 10_000; sent += 1) send(unreachable, `ep_${sent}`);
    expect([...health.remembered()]).toHaveLength(10_000);
    expect(counts.shrunk).toBe(10_000);
    expect([standing('ep_0').kind, standing('ep_1').kind]).toEqual(['healthy', 'shrunk']);
  });

  it('pauses a lane for as long as was asked for, and does not take it for sick', async () => {
    const { send, standing, clock } = createWorld();
    send({ kind: 'wait', waitMs: 4_000 });
    const asked = standing();
    expect([asked.kind, asked.pausedUntilMs - clock.monotonicMs()]).toEqual(['healthy', 4_000]);
  });
});
