/**
 * The only access to ordered rows: queries and changes, one turn after the other, many in each. So a caller that learns that a key is free
 * can act before this process writes anything that contradicts it.
 *
 * If Postgres is away, everything here waits, and with it the keys concerned; other deliveries are sent.
 */
import { fullJitterMs, type Random } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { AppError, toAppError } from '#lib/errors';
import type {
  AskedDelivery,
  AskedKey,
  OrderedTable,
  OrderedTurn,
  Place,
  QueuedRow,
  TurnAnswer,
  Woken,
} from './ordered-table.ts';
import type { OrderedRow, RowRef } from '../model/waiting-row.ts';

export interface OrderedRows {
  /**
   * Whether each is blocked, or known already. The answer holds until the caller awaits anything.
   *
   * @throws AppError stopped if it is not wanted any more
   */
  placesOf(deliveries: readonly AskedDelivery[], isWanted: () => boolean): Promise<Place[]>;
  /**
   * The first rows of each key, in their order. It holds, but for keys that are being written to, until the caller awaits anything.
   * Tries once.
   *
   * @throws AppError store_unavailable
   */
  linesOf(keys: readonly AskedKey[]): Promise<QueuedRow[][]>;
  /** Whether a row of this key is being written. */
  isBeingWritten(key: Pick<AskedKey, 'tenant' | 'endpointId' | 'key'>): boolean;
  /** Resolves when the row is durable. @throws AppError stopped if it is not wanted any more */
  write(row: OrderedRow, isWanted: () => boolean): Promise<void>;
  /** Makes the first row of each key due at once, because the endpoint has recovered. Tries once. @throws AppError store_unavailable */
  wake(endpoint: Woken): Promise<void>;
  /** Tries once. @throws AppError store_unavailable */
  remove(rows: readonly RowRef[]): Promise<void>;
}

interface Deps {
  table: OrderedTable;
  clock: Clock;
  random: Random;
}

interface Entry extends OrderedTurn {
  /** Undefined: tried once. */
  isWanted: (() => boolean) | undefined;
  resolve(answer: TurnAnswer): void;
  reject(error: AppError): void;
}

/** Rows and questions of one turn; a single entry may have more. */
const maxPerTurn = 1_000;
const pause = { baseMs: 100, capMs: 2_000 };

export function createOrderedRows({ table, clock, random }: Deps): OrderedRows {
  const queue: Entry[] = [];
  /** Rows on their way to the table, by key. */
  const beingWritten = new Map<string, number>();
  let working = false;

  function enter(change: Partial<OrderedTurn>, isWanted?: () => boolean): Promise<TurnAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<TurnAnswer>();
    queue.push({ ...nothing, ...change, isWanted, resolve, reject });
    void work();
    return promise;
  }

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    for (let failures = 0; queue.length > 0;) {
      const again = await takeTurn(nextTurn());
      failures = again.length > 0 ? failures + 1 : 0;
      queue.unshift(...again);
      // Waits at least the base, so that a database that refuses at once is not asked without a pause.
      if (again.length > 0) await clock.sleep(pause.baseMs + fullJitterMs(pause, failures, random));
    }
    working = false;
  }

  function nextTurn(): Entry[] {
    let size = 0;
    const count = queue.findIndex(({ rows, removed, asked, keys }, at) => {
      size += rows.length + removed.length + asked.length + keys.length;
      return at > 0 && size > maxPerTurn;
    });
    return queue.splice(0, count === -1 ? queue.length : count);
  }

  /** @returns the entries to try again */
  async function takeTurn(given: readonly Entry[]): Promise<Entry[]> {
    const turn = given.filter(isStillWanted);
    if (turn.length === 0) return [];
    try {
      resolveAll(turn, await table.apply(merge(turn)));
      return [];
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.retryable) {
        for (const { isWanted, reject } of turn) if (isWanted === undefined) reject(error);
        return turn.filter(({ isWanted }) => isWanted !== undefined);
      }
      const [first] = turn;
      if (turn.length > 1) return [...(await takeTurn(turn.slice(0, 1))), ...(await takeTurn(turn.slice(1)))];
      first?.reject(error);
      return [];
    }
  }

  return {
    placesOf: async (asked, isWanted) => (await enter({ asked }, isWanted)).places,
    linesOf: async (keys) => (await enter({ keys })).lines,
    isBeingWritten: (key) => beingWritten.has(nameOf(key)),
    async write(row, isWanted) {
      const name = nameOf({ ...row, key: row.order.key });
      beingWritten.set(name, (beingWritten.get(name) ?? 0) + 1);
      try {
        await enter({ rows: [row] }, isWanted);
      } finally {
        const others = (beingWritten.get(name) ?? 1) - 1;
        if (others > 0) beingWritten.set(name, others);
        else beingWritten.delete(name);
      }
    },
    wake: async (endpoint) => void (await enter({ woken: [endpoint] })),
    remove: async (removed) => void (await enter({ removed })),
  };
}

function isStillWanted({ isWanted, reject }: Entry): boolean {
  if (isWanted?.() !== false) return true;
  reject(new AppError('stopped', 'given up: no longer wanted'));
  return false;
}

const nothing: OrderedTurn = { rows: [], removed: [], asked: [], keys: [], woken: [] };

const merge = (turn: readonly Entry[]): OrderedTurn => ({
  rows: turn.flatMap(({ rows }) => rows),
  removed: turn.flatMap(({ removed }) => removed),
  asked: turn.flatMap(({ asked }) => asked),
  keys: turn.flatMap(({ keys }) => keys),
  woken: turn.flatMap(({ woken }) => woken),
});

function resolveAll(turn: readonly Entry[], { places, lines }: TurnAnswer): void {
  let [placesAt, linesAt] = [0, 0];
  for (const { asked, keys, resolve } of turn) {
    resolve({
      places: places.slice(placesAt, placesAt + asked.length),
      lines: lines.slice(linesAt, linesAt + keys.length),
    });
    placesAt += asked.length;
    linesAt += keys.length;
  }
}

const nameOf = ({ tenant, endpointId, key }: Pick<AskedKey, 'tenant' | 'endpointId' | 'key'>): string =>
  `${tenant}/${endpointId}/${key}`;
