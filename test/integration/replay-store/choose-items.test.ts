import type { Postgres } from '#lib/postgres';
import {
  cancelReplay,
  type ChosenPage,
  createFilteredReplay,
  createItemChoice,
  createReplayWork,
  type ItemChoice,
  type UnchosenReplay,
} from '#lib/replay-store';
import { createId, formatMicros } from '#lib/runtime';
import { closePostgres, openDatabase } from '../projector/projection.ts';

let postgres: Postgres;
let choice: ItemChoice;
let tenant = '';
let tenants = 0;
beforeAll(async () => {
  postgres = await openDatabase(4);
  choice = createItemChoice(postgres);
});
beforeEach(() => {
  tenant = `t${(tenants += 1)}`;
});
afterEach(() => postgres.query('DELETE FROM replays'));
afterAll(() => closePostgres(postgres));

const create = (limit = 100) =>
  createFilteredReplay(postgres, {
    tenant,
    id: createId('rpl', Date.now()),
    request: {},
    ratePerSecond: null,
    createdAt: formatMicros(Date.now() * 1_000),
    operation: 'retry_deliveries',
    selection: { filter: {}, endpointId: null, asOf: formatMicros(Date.now() * 1_000), limit },
    counted: 4,
  });
async function claimOne(): Promise<UnchosenReplay> {
  const [replay] = await choice.claim(1);
  if (replay === undefined) throw new Error('nothing to choose');
  return replay;
}
const expireClaim = () => postgres.query(`UPDATE replays SET choosing_until = now() - interval '1 s'`);
/** A page of deliveries with these numbers. */
const pageOf = (numbers: number[], isLast = false): ChosenPage => ({
  choices: numbers.map((n) => ({
    kind: 'delivery',
    id: `dlv_${n}`,
    eventId: `evt_${n}`,
    endpointId: 'ep',
    generation: 0,
  })),
  position: { id: `dlv_${numbers.at(-1)}`, isWide: true },
  isLast,
  isCapped: false,
});
const items = () =>
  postgres.query<{ item: number; delivery_id: string }>(
    'SELECT item, delivery_id FROM replay_items WHERE tenant = $1 ORDER BY item',
    [tenant],
  );

it('is for one process at a time, and for another when that has died', async () => {
  await create();
  const first = await claimOne();
  expect(await choice.claim(1)).toEqual([]);
  await expireClaim();
  expect(await claimOne()).toEqual(first);
});

it('adds no page again where its process was paused until another had added it, and its items were worked off', async () => {
  const { id } = await create();
  const paused = await claimOne();
  await expireClaim();
  const successor = await claimOne();
  expect(await choice.add(successor, pageOf([1, 2]))).toMatchObject({ wantsMore: true });
  const work = createReplayWork(postgres);
  const [leased] = await work.lease('me', 'bulk', 1);
  // No such deliveries: the items are left out, and open no longer.
  expect(leased && (await work.take(leased, 10))).toEqual({ items: [] });
  expect(await choice.add(paused, pageOf([1, 2]))).toBeUndefined();
  expect((await items()).map(({ delivery_id }) => delivery_id)).toEqual(['dlv_1', 'dlv_2']);
  const [row] = await postgres.query('SELECT chosen, matched, left_out FROM replays WHERE id = $1', [id]);
  expect(row).toEqual({ chosen: 2, matched: 2, left_out: 2 });
});

it('counts what was counted and not chosen as left out at its end, and not before', async () => {
  const { id } = await create();
  const row = async () =>
    (await postgres.query('SELECT chosen, matched, left_out, choosing FROM replays WHERE id = $1', [id]))[0];
  const added = await choice.add(await claimOne(), pageOf([1, 2]));
  expect(await row()).toEqual({ chosen: 2, matched: 4, left_out: 0, choosing: 'open' });
  if (added === undefined) throw new Error('not added');
  expect(await choice.add(added.replay, pageOf([3], true))).toMatchObject({ wantsMore: false });
  expect(await row()).toEqual({ chosen: 3, matched: 3, left_out: 1, choosing: 'done' });
});

it('pauses while thousands are open', async () => {
  await create(100_000);
  const numbers = (from: number) => Array.from({ length: 2_500 }, (_, index) => from + index);
  const first = await choice.add(await claimOne(), pageOf(numbers(1)));
  if (first === undefined) throw new Error('not added');
  expect(first.wantsMore).toBe(true);
  expect(await choice.add(first.replay, pageOf(numbers(2_501)))).toMatchObject({ wantsMore: false });
  await choice.release(first.replay);
  expect(await choice.claim(1)).toEqual([]);
});

it('adds nothing to a replay that was cancelled meanwhile', async () => {
  const { id } = await create();
  const claimed = await claimOne();
  await postgres.transaction((tx) => cancelReplay(tx, tenant, id));
  expect(await choice.add(claimed, pageOf([1]))).toBeUndefined();
  expect(await items()).toEqual([]);
  await expireClaim();
  expect(await choice.claim(1)).toEqual([]);
});
