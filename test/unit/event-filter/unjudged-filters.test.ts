import { createUnjudgedFilters } from '#lib/event-filter';
import { AppError, createManualClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createKeptLog } from '../api/build-test-app.ts';

function createWorld() {
  const clock = createManualClock();
  const metrics = new Metrics();
  const { log, lines } = createKeptLog();
  const written: string[][] = [];
  const state = { isAway: false };
  const unjudged = createUnjudgedFilters({
    postgres: {
      query: async (_text, values = []) => {
        if (state.isAway) throw new AppError('store_unavailable', 'away');
        written.push(values[1] as string[]);
        return [];
      },
    },
    metrics,
    clock,
    log,
  });
  const note = (...ids: string[]): void =>
    unjudged.note({ tenant: 'acme', eventId: 'evt_1' }, [
      ...ids.map((id) => ({ candidate: { id }, unjudged: 'filter_steps' as const })),
      { candidate: { id: 'ep_judged' } },
    ]);
  return { clock, metrics, lines, written, state, unjudged, note };
}

test('deliveries that no filter has judged are counted by their reason, with one line an event', async () => {
  const { note, metrics, lines } = createWorld();
  note('ep_1', 'ep_2');
  note();
  const counted = await metrics.getSingleMetric('hookline_filters_unjudged_total')?.get();
  expect(counted?.values.find(({ labels }) => labels['reason'] === 'filter_steps')?.value).toBe(2);
  expect(lines).toEqual([
    expect.objectContaining({ event: 'filters.unjudged', eventId: 'evt_1', endpoints: 2, firstEndpointId: 'ep_1' }),
  ]);
});

test('an endpoint’s row is written once a minute, however many events there are', async () => {
  const { note, unjudged, written, clock } = createWorld();
  note('ep_1');
  note('ep_1', 'ep_2');
  await unjudged.settle();
  note('ep_1');
  await clock.advance(59_000);
  await unjudged.settle();
  expect(written).toEqual([['ep_1', 'ep_2']]);
  await clock.advance(1_000);
  note('ep_1');
  await unjudged.settle();
  expect(written).toEqual([['ep_1', 'ep_2'], ['ep_1']]);
});

test('what could not be written is written later', async () => {
  const { note, unjudged, written, state } = createWorld();
  note('ep_1');
  state.isAway = true;
  await expect(unjudged.settle()).rejects.toThrow('away');
  state.isAway = false;
  await unjudged.settle();
  expect(written).toEqual([['ep_1']]);
});
