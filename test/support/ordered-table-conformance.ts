/**
 * The conformance suite of services/dispatcher/ordered/ordered-table.ts: run on the fake that unit tests stand on, and on Postgres, so that
 * a result with the one holds for the other.
 */
import fc from 'fast-check';
import type { DeliveryStatus } from '#lib/contract';
import type { AskedKey, OrderedTable, OrderedTurn, Place } from '../../services/dispatcher/ordered/ordered-table.ts';
import type { OrderedRow, RowRef, WaitingRow } from '../../services/dispatcher/model/waiting-row.ts';

export interface OrderedTables {
  ordered: OrderedTable;
  rows(): Promise<WaitingRow[]>;
  /** The tables of the projector know this much of it. */
  addDelivery(id: string, known: { step: number; status: DeliveryStatus }): Promise<void>;
  clear(): Promise<void>;
}

const now = Date.UTC(2026, 0, 1) * 1_000;
const tenant = 'acme';

/** The nth delivery of its key. */
export interface Spot {
  at: number;
  endpointId?: string;
  key?: string;
}

export const idOf = ({ at, endpointId = 'ep_1', key = 'aa' }: Spot): string => `dlv_${endpointId}_${key}_${at}`;

export const orderedRow = (spot: Spot, row: Partial<OrderedRow> = {}): OrderedRow => ({
  tenant,
  deliveryId: idOf(spot),
  partition: 0,
  endpointId: spot.endpointId ?? 'ep_1',
  eventId: 'evt_1',
  generation: 0,
  state: 'parked',
  dueAt: now,
  step: 1,
  attempts: 0,
  createdAt: now,
  notBefore: null,
  order: { key: spot.key ?? 'aa', sequence: BigInt(spot.at), partition: 0 },
  ...row,
});

export function rowRef(spot: Spot, step = 1): RowRef {
  const { deliveryId, endpointId, order } = orderedRow(spot);
  return { tenant, deliveryId, endpointId, order, step };
}

export const asked = (spot: Spot) => ({ ...rowRef(spot), id: idOf(spot) });

export const aTurn = (turn: Partial<OrderedTurn>): OrderedTurn => ({
  rows: [],
  removed: [],
  asked: [],
  keys: [],
  woken: [],
  ...turn,
});

/** Keys that don't have exactly their first row due: their deliveries would never be sent, or out of order. */
export async function faultyKeys({ rows }: Pick<OrderedTables, 'rows'>): Promise<string[]> {
  const keys = Map.groupBy(await rows(), ({ endpointId, order }) => `${endpointId}/${order?.key}`);
  const dueOf = (key: WaitingRow[]): boolean[] =>
    [...key]
      .sort((a, b) => Number((a.order?.sequence ?? 0n) - (b.order?.sequence ?? 0n)))
      .map(({ dueAt }) => Number.isFinite(dueAt));
  return [...keys].flatMap(([name, key]) => {
    const [first, ...others] = dueOf(key);
    return first && !others.includes(true) ? [] : [name];
  });
}

const spots: Spot[] = [
  { endpointId: 'ep_1', key: 'aa' },
  { endpointId: 'ep_1', key: 'bb' },
  { endpointId: 'ep_2', key: 'aa' },
].flatMap((key) => [1, 2, 3, 4].map((at) => ({ ...key, at })));
const aStep = fc.record({ spot: fc.constantFrom(...spots), step: fc.integer({ min: 1, max: 3 }) });
const aFewSteps = fc.array(aStep, { maxLength: 5 });
/** Rows written and removed, one change after the other. */
export const anyChanges = fc.array(fc.record({ written: aFewSteps, removed: aFewSteps }), {
  minLength: 1,
  maxLength: 8,
});
export type Changes = typeof anyChanges extends fc.Arbitrary<infer T> ? T : never;

export const turnOf = ({ written, removed }: Changes[number]): OrderedTurn =>
  aTurn({
    rows: written.map(({ spot, step }) => orderedRow(spot, { step, state: step > 1 ? 'retrying' : 'parked' })),
    removed: removed.map(({ spot, step }) => rowRef(spot, step)),
    asked: spots.map(asked),
  });

/** Makes one change after the other, and compares with what should stand there then. */
export async function followsItsRules(tables: OrderedTables, changes: Changes): Promise<void> {
  await tables.clear();
  const steps = new Map<string, number>();
  for (const change of changes) {
    const { places } = await tables.ordered.apply(turnOf(change));
    for (const { spot, step } of change.removed) if ((steps.get(idOf(spot)) ?? 9) <= step) steps.delete(idOf(spot));
    for (const { spot, step } of change.written) steps.set(idOf(spot), Math.max(step, steps.get(idOf(spot)) ?? 0));

    const rows = await tables.rows();
    expect(new Map(rows.map(({ deliveryId, step }) => [deliveryId, step]))).toEqual(steps);
    expect(await faultyKeys({ rows: async () => rows })).toEqual([]);
    const isBlocked = ({ endpointId, key }: Spot): boolean =>
      spots.some((spot) => spot.endpointId === endpointId && spot.key === key && steps.has(idOf(spot)));
    expect(places).toEqual(spots.map((spot) => ({ blocked: isBlocked(spot), known: steps.has(idOf(spot)) })));
  }
}

export function orderedTableConformance(tables: () => OrderedTables, { numRuns }: { numRuns: number }): void {
  const apply = (turn: Partial<OrderedTurn>) => tables().ordered.apply(aTurn(turn));
  const ask = async (turn: Partial<OrderedTurn>): Promise<Place[]> => (await apply(turn)).places;
  const dueTimes = async (): Promise<Record<string, number>> =>
    Object.fromEntries((await tables().rows()).map(({ order, dueAt }) => [String(order?.sequence), dueAt]));
  beforeEach(() => tables().clear());

  it('writes a row as it was given, and one behind it as due at infinity', async () => {
    const first = orderedRow({ at: 5 }, { state: 'retrying', dueAt: now + 7, step: 3, attempts: 2 });
    await apply({ rows: [first] });
    expect(await tables().rows()).toMatchObject([first]);
    await apply({ rows: [orderedRow({ at: 6 })] });
    expect(await dueTimes()).toEqual({ 5: now + 7, 6: Infinity });
  });

  it('keeps keys, and the endpoints that share one, apart', async () => {
    await apply({
      rows: [orderedRow({ at: 1 }), orderedRow({ at: 2, key: 'bb' }), orderedRow({ at: 3, endpointId: 'ep_2' })],
    });
    expect(await dueTimes()).toEqual({ 1: now, 2: now, 3: now });
  });

  it('has of those that are written at once the first due, in whichever order they come', async () => {
    await apply({ rows: [3, 1, 2].map((at) => orderedRow({ at })) });
    expect(await dueTimes()).toEqual({ 1: now, 2: Infinity, 3: Infinity });
  });

  it('puts the first behind one that comes later and belongs before it', async () => {
    await apply({ rows: [orderedRow({ at: 5 }), orderedRow({ at: 6 })] });
    await apply({ rows: [orderedRow({ at: 4 })] });
    expect(await dueTimes()).toEqual({ 4: now, 5: Infinity, 6: Infinity });
  });

  it('makes the next one due once the first is removed, at once', async () => {
    await apply({ rows: [1, 2, 3].map((at) => orderedRow({ at })) });
    await apply({ removed: [rowRef({ at: 1 })] });
    expect(await dueTimes()).toEqual({ 2: expect.any(Number) as number, 3: Infinity });
    expect(await faultyKeys(tables())).toEqual([]);
    await apply({ removed: [rowRef({ at: 3 }), rowRef({ at: 2 })] });
    expect(await tables().rows()).toEqual([]);
  });

  it('makes the first of each key due when their endpoint is back, but not before the time that it asked for', async () => {
    const far = Date.UTC(2900, 0, 1) * 1_000;
    const retrying = { state: 'retrying', dueAt: far } as const;
    await apply({
      rows: [
        orderedRow({ at: 1 }, retrying),
        orderedRow({ at: 2 }),
        orderedRow({ at: 3, key: 'bb' }, { ...retrying, notBefore: far - 7 }),
        orderedRow({ at: 4, endpointId: 'ep_2' }, retrying),
      ],
    });
    await apply({ woken: [{ tenant, endpointId: 'ep_1', partitions: [5] }] });
    expect(await dueTimes()).toEqual({ 1: far, 2: Infinity, 3: far, 4: far });
    await apply({ woken: [{ tenant, endpointId: 'ep_1', partitions: [0, 5] }] });
    const due = await dueTimes();
    expect(due).toEqual({ 1: expect.any(Number) as number, 2: Infinity, 3: far - 7, 4: far });
    expect(due[1]).toBeLessThan(Date.UTC(2100, 0, 1) * 1_000);
    expect(await faultyKeys(tables())).toEqual([]);
  });

  it('changes nothing by a step that is not higher, neither written nor removed', async () => {
    const row = orderedRow({ at: 1 }, { step: 2, state: 'retrying', dueAt: now + 9, attempts: 2 });
    await apply({ rows: [row] });
    await apply({ rows: [orderedRow({ at: 1 }, { step: 1 }), orderedRow({ at: 1 }, { step: 2 })] });
    await apply({ removed: [rowRef({ at: 1 }, 1)] });
    expect(await tables().rows()).toMatchObject([row]);
    await apply({ rows: [{ ...row, step: 3, dueAt: now + 11, attempts: 3 }] });
    expect(await tables().rows()).toMatchObject([{ step: 3, dueAt: now + 11, attempts: 3 }]);
  });

  it('tells of a delivery whether a row of its key stands before it, and whether it is known itself', async () => {
    await apply({ rows: [orderedRow({ at: 1 })] });
    await tables().addDelivery(idOf({ at: 5, key: 'bb' }), { step: 2, status: 'delivered' });
    await tables().addDelivery(idOf({ at: 6, key: 'bb' }), { step: 0, status: 'pending' });
    const questions: Spot[] = [
      { at: 1 },
      { at: 2 },
      { at: 2, endpointId: 'ep_2' },
      { at: 5, key: 'bb' },
      { at: 6, key: 'bb' },
    ];
    expect(await ask({ asked: questions.map(asked) })).toEqual([
      { blocked: true, known: true },
      { blocked: true, known: false },
      { blocked: false, known: false },
      { blocked: false, known: true },
      { blocked: false, known: false },
    ]);
  });

  it('answers as things stand after the change that was asked with', async () => {
    await apply({ rows: [orderedRow({ at: 1 })] });
    const change = { removed: [rowRef({ at: 1 })], rows: [orderedRow({ at: 2, key: 'bb' })] };
    expect(await ask({ ...change, asked: [asked({ at: 3 }), asked({ at: 3, key: 'bb' })] })).toEqual([
      { blocked: false, known: false },
      { blocked: true, known: false },
    ]);
  });

  it('gives the first rows of a key in their order, of each key that was asked for, as they stand after the change', async () => {
    const others = [orderedRow({ at: 4, key: 'bb' }), orderedRow({ at: 6, endpointId: 'ep_2' })];
    await apply({ rows: [...[1, 3, 2, 12].map((at) => orderedRow({ at })), ...others] });
    await tables().addDelivery(idOf({ at: 2 }), { step: 2, status: 'cancelled' });
    const aKey = (key: string, rows: number): AskedKey => ({ tenant, endpointId: 'ep_1', key, rows });
    const linesOf = async (turn: Partial<OrderedTurn>): Promise<string[][]> =>
      (await apply(turn)).lines.map((line) =>
        line.map(({ order, ended }) => `${order.sequence}${ended ? ' ended' : ''}`),
      );
    const asked = [aKey('cc', 9), aKey('aa', 9), aKey('bb', 9)];
    expect(await linesOf({ keys: asked })).toEqual([[], ['1', '2 ended', '3', '12'], ['4']]);
    expect(await linesOf({ removed: [rowRef({ at: 1 })], keys: [aKey('aa', 2)] })).toEqual([['2 ended', '3']]);
  });

  it('has, whatever is written and removed, exactly the first row of each key due', () =>
    fc.assert(
      fc.asyncProperty(anyChanges, (changes) => followsItsRules(tables(), changes)),
      { numRuns },
    ));
}
