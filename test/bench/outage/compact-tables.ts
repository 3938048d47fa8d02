/**
 * Simulates Postgres's rows of one endpoint's deliveries, in about twenty bytes each: the rows of `waiting` and the state of each delivery,
 * by the statements of waiting-table.ts, ordered-table.ts, overdue-table.ts and the projector's outcomes.ts; counts the changes.
 */
import { type DeliveryStatus, isFinal, type StepRecord } from '#lib/contract';
import type { OrderedTable, QueuedRow } from '../../../services/dispatcher/ordered/ordered-table.ts';
import type { OverdueTable } from '../../../services/dispatcher/waiting/overdue-table.ts';
import type { OrderedRow, WaitingRow } from '../../../services/dispatcher/model/waiting-row.ts';
import type { DueRow, WaitingTable } from '../../../services/dispatcher/waiting/waiting-table.ts';
import { aDelivery } from '../../unit/dispatcher/fixtures.ts';
import { deliveryId, eventIdOf, numberOf, type NumberedDeliveries } from './numbered-deliveries.ts';

export interface CompactTables {
  waiting: WaitingTable;
  ordered: OrderedTable;
  overdue: OverdueTable;
  isKnown(number: number): boolean;
  statusOf(number: number): DeliveryStatus | undefined;
  /** Applies a record as the projector does. */
  project(record: StepRecord): void;
  /** Rows written, removed, returned as due. `madeDue`: rows whose due time followed from another's. */
  readonly counts: { written: number; removed: number; read: number; madeDue: number; waiting: number; most: number };
}

const statuses = [undefined, 'retrying', 'parked', 'delivered', 'dead_lettered', 'cancelled'] as const;
const [retrying, parked] = [1, 2];
const { tenant, endpointId } = aDelivery();

export function createCompactTables(
  size: number,
  keys: number,
  deliveries: NumberedDeliveries,
  nowMicros: () => number,
): CompactTables {
  const isOrdered = keys > 0;
  const chains = Math.max(1, keys);
  /** Columns of the row: 0 if there is none. */
  const state = new Uint8Array(size);
  const step = new Uint16Array(size);
  const attempts = new Uint16Array(size);
  const dueAt = new Float64Array(size);
  /** Columns of the delivery. */
  const known = new Uint8Array(size);
  const knownStep = new Uint16Array(size);
  /** For each chain (all deliveries are one chain if they have no order): no row stands before the one, none after the other. */
  const first = new Float64Array(chains).map((_, chain) => chain);
  const last = new Float64Array(chains).fill(-1);
  const rowsOf = new Float64Array(chains);
  /** Rows that are due when their retry is; all others are in the order in which they came. */
  const retries = new Set<number>();
  const counts = { written: 0, removed: 0, read: 0, madeDue: 0, waiting: 0, most: 0 };

  const chainOf = (number: number): number => deliveries.keyOf(number);
  const chainNamed = new Map(Array.from({ length: keys }, (_, key) => [deliveries.nameOfKey(key), key]));
  const isKnown = (number: number): boolean => state[number] !== 0 || (knownStep[number] as number) > 0;
  const isEnded = (number: number): boolean => isFinal(statuses[known[number] as number] ?? 'pending');

  function write(number: number, row: Pick<WaitingRow, 'state' | 'dueAt' | 'step' | 'attempts'>): void {
    const chain = chainOf(number);
    if (state[number] === 0) {
      rowsOf[chain] = (rowsOf[chain] as number) + 1;
      counts.waiting += 1;
      counts.most = Math.max(counts.most, counts.waiting);
    } else if ((step[number] as number) >= row.step) return;
    counts.written += 1;
    state[number] = row.state === 'retrying' ? retrying : parked;
    step[number] = row.step;
    attempts[number] = row.attempts;
    dueAt[number] = row.dueAt;
    first[chain] = Math.min(first[chain] as number, number);
    last[chain] = Math.max(last[chain] as number, number);
    if (row.state === 'retrying') retries.add(number);
    else retries.delete(number);
  }

  function remove(number: number, upToStep: number): void {
    if (state[number] === 0 || (step[number] as number) > upToStep) return;
    const chain = chainOf(number);
    counts.removed += 1;
    counts.waiting -= 1;
    rowsOf[chain] = (rowsOf[chain] as number) - 1;
    state[number] = 0;
    retries.delete(number);
  }

  /** The next row of a chain, from this number on; undefined behind its last. */
  function nextRow(chain: number, from: number): number | undefined {
    for (let number = from; number <= (last[chain] as number); number += chains) if (state[number] !== 0) return number;
    return undefined;
  }

  function firstRow(chain: number): number | undefined {
    const number = nextRow(chain, first[chain] as number);
    first[chain] = number ?? (last[chain] as number) + chains;
    return number;
  }

  const rowOf = (number: number): DueRow => ({
    tenant,
    endpointId,
    deliveryId: deliveryId(number),
    partition: 0,
    eventId: eventIdOf(number),
    generation: 0,
    state: state[number] === retrying ? 'retrying' : 'parked',
    dueAt: dueAt[number] as number,
    step: step[number] as number,
    attempts: attempts[number] as number,
    createdAt: deliveries.createdAt(number),
    notBefore: null,
    order: isOrdered
      ? { key: deliveries.nameOfKey(chainOf(number)), sequence: BigInt(number), partition: 0 }
      : undefined,
    payloadBytes: 11,
    ended: isEnded(number),
  });

  function given(numbers: readonly number[]): DueRow[] {
    counts.read += numbers.length;
    return numbers.map(rowOf);
  }

  /** Parked deliveries, the oldest first. */
  function dueParked(now: number, except: ReadonlySet<number>, room: number): number[] {
    const found: number[] = [];
    for (let number = firstRow(0); number !== undefined && found.length < room; number = nextRow(0, number + 1)) {
      if (state[number] !== parked) continue;
      if ((dueAt[number] as number) > now) break;
      if (!except.has(number) && !isEnded(number)) found.push(number);
    }
    return found;
  }

  function due(now: number, except: ReadonlySet<number>, room: number, early: boolean): number[] {
    if (room <= 0) return [];
    const found = isOrdered
      ? Array.from({ length: chains }, (_, chain) => firstRow(chain)).filter(
          (number) => number !== undefined && (early || (dueAt[number] as number) <= now) && !except.has(number),
        )
      : [
          ...dueParked(now, except, room),
          ...[...retries].filter(
            (number) => (dueAt[number] as number) <= now && !except.has(number) && !isEnded(number),
          ),
        ];
    const numbers = found.filter((number) => number !== undefined);
    return numbers.sort((a, b) => (dueAt[a] as number) - (dueAt[b] as number)).slice(0, room);
  }

  function firstRowsOf(chain: number, most: number): QueuedRow[] {
    const numbers: number[] = [];
    for (let next = firstRow(chain); next !== undefined && numbers.length < most; next = nextRow(chain, next + chains))
      numbers.push(next);
    return given(numbers).flatMap(({ order, ...row }) => (order === undefined ? [] : [{ ...row, order }]));
  }

  function writeOrdered(row: OrderedRow): void {
    const number = numberOf(row.deliveryId);
    const before = firstRow(chainOf(number));
    if (before !== undefined && before > number && dueAt[before] !== Infinity) {
      dueAt[before] = Infinity;
      counts.madeDue += 1;
    }
    write(number, { ...row, dueAt: before !== undefined && before < number ? Infinity : row.dueAt });
  }

  function makeFirstDue(chain: number): void {
    const number = firstRow(chain);
    if (number === undefined || dueAt[number] !== Infinity) return;
    dueAt[number] = nowMicros();
    counts.madeDue += 1;
  }

  function wake(): void {
    for (let chain = 0; chain < chains; chain += 1) {
      const number = firstRow(chain);
      if (number === undefined || (dueAt[number] as number) <= nowMicros()) continue;
      dueAt[number] = nowMicros();
      counts.madeDue += 1;
    }
  }

  return {
    counts,
    isKnown,
    statusOf: (number) => statuses[known[number] as number],
    waiting: {
      async due({ now, except, perLane, lanes, limit }) {
        const room = Math.min(lanes[0]?.room ?? perLane, limit);
        return given(due(now, new Set(except.map(({ id }) => numberOf(id))), room, lanes[0]?.early === true));
      },
      contents: async (events) => events.map(({ eventId }) => deliveries.contentOf(numberOf(eventId))),
      async remove(rows) {
        for (const row of rows) remove(numberOf(row.deliveryId), row.step);
        return [];
      },
      count: async () => ({ retrying: retries.size, parked: counts.waiting - retries.size }),
    },
    ordered: {
      async apply({ rows, removed, asked, keys: lines, woken }) {
        for (const row of removed) remove(numberOf(row.deliveryId), row.step);
        for (const row of rows) writeOrdered(row);
        for (const { deliveryId: id } of [...removed, ...rows]) makeFirstDue(chainOf(numberOf(id)));
        if (woken.length > 0) wake();
        return {
          places: asked.map(({ id }) => ({
            blocked: (rowsOf[chainOf(numberOf(id))] as number) > 0,
            known: isKnown(numberOf(id)),
          })),
          lines: lines.map((line) => firstRowsOf(chainNamed.get(line.key) ?? 0, line.rows)),
        };
      },
    },
    overdue: {
      async ofLanes({ lanes: [lane], limit }) {
        const found: number[] = [];
        if (lane === undefined) return [];
        for (let chain = 0; chain < chains; chain += 1) {
          for (
            let at = firstRow(chain), taken = 0;
            at !== undefined && taken < limit;
            at = nextRow(chain, at + chains)
          ) {
            if (deliveries.createdAt(at) > lane.createdBy) break;
            if (isEnded(at)) continue;
            found.push(at);
            taken += 1;
          }
        }
        return found
          .sort((a, b) => a - b)
          .slice(0, limit)
          .map(rowOf);
      },
      withoutEvent: async () => [],
      toCancel: async () => [],
      writtenAt: async () => 0,
    },
    project(record) {
      const { delivery_id: id, step: toStep, status, attempt } = record;
      const number = numberOf(id);
      if ((knownStep[number] as number) >= toStep || isEnded(number)) return;
      known[number] = statuses.indexOf(status as (typeof statuses)[number]);
      knownStep[number] = toStep;
      if (isOrdered) return;
      if (isFinal(status)) return remove(number, toStep);
      if (status !== 'retrying' && status !== 'parked') return;
      write(number, { state: status, dueAt: record.next_attempt_at ?? record.at, step: toStep, attempts: attempt });
    },
  };
}
