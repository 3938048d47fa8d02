import fc from 'fast-check';
import { createManualClock } from '#lib/runtime';
import { type BreakerState, createBreaker } from '../../../services/dispatcher/endpoints/breaker.ts';
import type { SendVerdict } from '../../../services/dispatcher/endpoints/send-verdict.ts';

const well: SendVerdict = { kind: 'well' };
const failed: SendVerdict = { kind: 'failed' };
const wait = (waitMs: number): SendVerdict => ({ kind: 'wait', waitMs });
const secondMs = 1_000;

function createWorld(random = () => 1) {
  const clock = createManualClock();
  const breaker = createBreaker({ clock, random });
  let sends = 0;
  const send = (verdict: SendVerdict | undefined, id = `dlv_${(sends += 1)}`): void => breaker.begin(id).ended(verdict);
  const sendAll = (verdict: SendVerdict, count: number): void => {
    for (let sent = 0; sent < count; sent += 1) send(verdict);
  };
  /** Five deliveries that fail within a little more than half a minute. */
  const open = async (): Promise<void> => {
    sendAll(failed, 4);
    await clock.advance(30 * secondMs);
    send(failed);
  };
  /** From open, with the probes' waits as they come. */
  const probe = async (verdict: SendVerdict | undefined): Promise<void> => {
    while (breaker.probeDueForMs() === undefined) await clock.advance(100);
    send(verdict);
  };
  return { clock, breaker, send, sendAll, open, probe };
}

describe('a breaker', () => {
  it('opens when five deliveries have failed one after the other and for half a minute', async () => {
    const { breaker, open } = createWorld();
    await open();
    expect(breaker.state()).toBe('open');
  });

  it.each<[string, (world: ReturnType<typeof createWorld>) => Promise<void>]>([
    ['many that fail at once', async ({ sendAll }) => sendAll(failed, 500)],
    [
      'one delivery that fails over and over',
      async ({ send, clock }) => {
        for (let sent = 0; sent < 60; sent += 1) {
          send(failed, 'dlv_poison');
          await clock.advance(secondMs);
        }
      },
    ],
    [
      'nine failures in ten sends',
      async ({ sendAll, send, clock }) => {
        for (let round = 0; round < 20; round += 1) {
          sendAll(failed, 9);
          await clock.advance(25 * secondMs);
          sendAll(failed, 9);
          send(well);
        }
      },
    ],
    [
      'an endpoint that asks to wait',
      async ({ send, clock }) => {
        for (let sent = 0; sent < 60; sent += 1) {
          send(wait(1));
          await clock.advance(secondMs);
        }
      },
    ],
  ])('stays closed for %s', async (_title, happen) => {
    const world = createWorld();
    await happen(world);
    expect(world.breaker.state()).toBe('closed');
  });

  it('probes with one delivery at a time, each later than the last, up to a minute', async () => {
    const { breaker, clock, open, send } = createWorld();
    await open();
    const waits: number[] = [];
    for (let probes = 0; probes < 9; probes += 1) {
      const openedAtMs = clock.monotonicMs();
      while (breaker.probeDueForMs() === undefined) await clock.advance(100);
      waits.push((clock.monotonicMs() - openedAtMs) / secondMs);
      const probe = breaker.begin(`dlv_probe${probes}`);
      expect([breaker.state(), breaker.probeDueForMs()]).toEqual(['probing', undefined]);
      probe.ended(failed);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    send(well);
  });

  it('spreads the probes: each between half and the whole of its wait', async () => {
    const { breaker, clock, open } = createWorld(() => 0);
    await open();
    await clock.advance(499);
    expect(breaker.probeDueForMs()).toBeUndefined();
    await clock.advance(1);
    expect(breaker.probeDueForMs()).toBe(0);
  });

  it('is half-open after a probe that went well, and closed after four more', async () => {
    const { breaker, open, probe, send, sendAll } = createWorld();
    await open();
    await probe(well);
    expect(breaker.state()).toBe('half-open');
    send(wait(1));
    sendAll(well, 3);
    expect(breaker.state()).toBe('half-open');
    send(well);
    expect([breaker.state(), breaker.isPristine()]).toEqual(['closed', true]);
  });

  it('opens again, for longer, when one fails while it is half-open', async () => {
    const { breaker, clock, open, probe, send } = createWorld();
    await open();
    await probe(well);
    send(failed);
    expect(breaker.state()).toBe('open');
    await clock.advance(secondMs);
    expect(breaker.probeDueForMs()).toBeUndefined();
    await clock.advance(secondMs);
    expect(breaker.probeDueForMs()).toBe(0);
  });

  it('waits for as long as a probe was told to, and not longer for that', async () => {
    const { breaker, clock, open, probe } = createWorld();
    await open();
    await probe(wait(30 * secondMs));
    await clock.advance(30 * secondMs - 1);
    expect([breaker.state(), breaker.probeDueForMs()]).toEqual(['open', undefined]);
    await clock.advance(1);
    expect(breaker.probeDueForMs()).toBe(0);
    await probe(failed);
    await clock.advance(2 * secondMs);
    expect(breaker.probeDueForMs()).toBe(0);
  });

  it('may probe again at once where a probe came to no send', async () => {
    const { breaker, open, probe } = createWorld();
    await open();
    await probe(undefined);
    expect([breaker.state(), breaker.probeDueForMs()]).toEqual(['open', 0]);
  });

  it('takes nothing that was begun before it opened for its probe', async () => {
    const { breaker, clock, open, send } = createWorld();
    const late = [breaker.begin('dlv_late1'), breaker.begin('dlv_late2'), breaker.begin('dlv_late3')];
    await open();
    late[0]?.ended(failed);
    expect(breaker.state()).toBe('open');
    await clock.advance(secondMs);
    const probe = breaker.begin('dlv_probe');
    late[1]?.ended(well);
    expect(breaker.state()).toBe('probing');
    probe.ended(well);
    late[2]?.ended(failed);
    expect(breaker.state()).toBe('half-open');
    send(well);
  });

  it('goes from state to state as its table says, whatever happens', async () => {
    const legal: Record<BreakerState, BreakerState[]> = {
      closed: ['closed', 'open'],
      open: ['open', 'probing'],
      probing: ['probing', 'half-open', 'open'],
      'half-open': ['half-open', 'closed', 'open'],
    };
    const step = fc.oneof(
      fc.record({ do: fc.constant('begin' as const) }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
      fc.record({
        do: fc.constant('end' as const),
        which: fc.nat(9),
        verdict: fc.constantFrom(well, failed, { kind: 'unreachable' } as const, wait(2_000), undefined),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const clock = createManualClock();
        const breaker = createBreaker({ clock, random: () => 0.5 });
        const open: ReturnType<typeof breaker.begin>[] = [];
        for (const [at, one] of steps.entries()) {
          const before = breaker.state();
          if (one.do === 'pass') await clock.advance(one.ms);
          else if (one.do === 'end') open.splice(one.which, 1)[0]?.ended(one.verdict);
          // As the lane does: nothing is sent before the probe's time, and nothing beside a probe.
          else if (before !== 'probing' && (before !== 'open' || breaker.probeDueForMs() !== undefined))
            open.push(breaker.begin(`dlv_${at}`));
          expect(legal[before]).toContain(breaker.state());
        }
      }),
      { numRuns: 150 },
    );
  });
});
