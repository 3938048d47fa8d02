/**
 * The only access to ordered rows: queries and changes, one turn after the other, many in each. So a caller that learns that a key is free
 * can act before this process writes anything that contradicts it.
 *
 * If Postgres is away, everything here waits, and with it the keys concerned; other deliveries are sent.
 *
 * Where rows of a tenant are locked by somebody else, the turn is divided by tenant, and that tenant's changes are held back: they are tried
 * by themselves, in their order, with pauses. The turns of the others go on without them. A key with a change that is held back is blocked.
 */
import { isLocked } from '#lib/postgres';
import { AppError, type Clock, fullJitterMs, type Random, toAppError } from '#lib/runtime';
import type { OrderedRow, RowRef } from '../model/waiting-row.ts';
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
  /** Tries once. @returns those that stay because rows of their tenant are locked @throws AppError store_unavailable */
  remove(rows: readonly RowRef[]): Promise<readonly RowRef[]>;
}

interface Deps {
  table: OrderedTable;
  clock: Clock;
  random: Random;
}

interface Entry extends OrderedTurn {
  /** Whose rows it changes; undefined: it only asks. */
  tenant: string | undefined;
  /** Undefined: tried once. */
  isWanted: (() => boolean) | undefined;
  resolve(answer: TurnAnswer): void;
  reject(error: AppError): void;
}

/** The changes of a tenant whose rows are locked. */
interface HeldBack {
  entries: Entry[];
  error: AppError;
  failures: number;
  /** When they are tried again, by the monotonic clock. */
  dueAtMs: number;
}

/** Rows and questions of one turn; a single entry may have more. */
const maxPerTurn = 1_000;
const pause = { baseMs: 100, capMs: 2_000 };

export function createOrderedRows({ table, clock, random }: Deps): OrderedRows {
  const queue: Entry[] = [];
  /** Rows on their way to the table, by key. */
  const beingWritten = new Map<string, number>();
  let working = false;

  const heldBack = new Map<string, HeldBack>();

  function enter(change: Partial<OrderedTurn>, of: Pick<Entry, 'tenant' | 'isWanted'>): Promise<TurnAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<TurnAnswer>();
    const entry: Entry = { ...nothing, ...change, ...of, resolve, reject };
    const held = entry.tenant === undefined ? undefined : heldBack.get(entry.tenant);
    if (held === undefined) queue.push(entry);
    else if (entry.isWanted !== undefined || held.dueAtMs <= clock.monotonicMs()) held.entries.push(entry);
    else reject(held.error);
    void work();
    return promise;
  }

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    for (let failures = 0; queue.length > 0 || dueTenant() !== undefined;) {
      const due = dueTenant();
      if (due !== undefined) await tryHeldBack(due);
      if (queue.length === 0) continue;
      const again = await takeTurn(nextTurn());
      failures = again.length > 0 ? failures + 1 : 0;
      queue.unshift(...again);
      // Waits at least the base, so that a database that refuses at once is not asked without a pause.
      if (again.length > 0) await clock.sleep(pause.baseMs + fullJitterMs(pause, failures, random));
    }
    working = false;
  }

  /** The tenant whose changes have been due for longest. */
  function dueTenant(): string | undefined {
    const nowMs = clock.monotonicMs();
    const due = [...heldBack].filter(([, { entries, dueAtMs }]) => entries.length > 0 && dueAtMs <= nowMs);
    return due.sort(([, one], [, other]) => one.dueAtMs - other.dueAtMs)[0]?.[0];
  }

  async function tryHeldBack(tenant: string): Promise<void> {
    const held = heldBack.get(tenant);
    if (held === undefined) return;
    const entries = held.entries.splice(0);
    held.dueAtMs = Number.POSITIVE_INFINITY;
    const again = await takeTurn(entries);
    // Locked again, and held back as before.
    if (held.dueAtMs !== Number.POSITIVE_INFINITY) return;
    // Changes that came meanwhile come behind.
    queue.unshift(...again, ...held.entries);
    heldBack.delete(tenant);
  }

  function holdBack(tenant: string, entries: readonly Entry[], error: AppError): void {
    const held = heldBack.get(tenant) ?? { entries: [], error, failures: 0, dueAtMs: 0 };
    heldBack.set(tenant, held);
    // With what has come since, or that would overtake.
    const behind = queue.filter((entry) => entry.tenant === tenant);
    queue.splice(0, queue.length, ...queue.filter((entry) => entry.tenant !== tenant));
    const theirs = Object.groupBy([...entries, ...held.entries, ...behind], ({ isWanted }) =>
      isWanted === undefined ? 'once' : 'again',
    );
    for (const { reject } of theirs.once ?? []) reject(error);
    held.entries = theirs.again ?? [];
    held.dueAtMs = clock.monotonicMs() + pause.baseMs + fullJitterMs(pause, held.failures, random);
    held.failures += 1;
    void workWhenDue(held);
  }

  /** A timer may end a little early: nobody else would come again. */
  async function workWhenDue(held: HeldBack): Promise<void> {
    for (let waitMs; (waitMs = held.dueAtMs - clock.monotonicMs()) > 0;) {
      if (waitMs === Number.POSITIVE_INFINITY) return;
      await clock.sleep(Math.ceil(waitMs));
    }
    void work();
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
      const { places, lines } = await table.apply(merge(turn));
      resolveAll(turn, { places: places.map(withHeldBack(turn)), lines });
      return [];
    } catch (thrown) {
      if (isLocked(thrown)) return takeByTenant(turn, thrown);
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

  /** Questions come last: they are answered by what the changes before them have written. */
  async function takeByTenant(turn: readonly Entry[], error: AppError): Promise<Entry[]> {
    const { changes = [], questions = [] } = Object.groupBy(turn, ({ tenant }) =>
      tenant === undefined ? 'questions' : 'changes',
    );
    const tenants = Map.groupBy(changes, ({ tenant }) => tenant ?? '');
    const again: Entry[] = [];
    for (const [tenant, ofTenant] of tenants)
      if (tenants.size === 1 && questions.length === 0) holdBack(tenant, ofTenant, error);
      else again.push(...(await takeTurn(ofTenant)));
    return [...again, ...(await takeTurn(questions))];
  }

  /** A row that is not written yet, because it is held back, blocks its key as if it were. */
  function withHeldBack(turn: readonly Entry[]): (place: Place, at: number) => Place {
    const asked = turn.flatMap((entry) => entry.asked);
    return (place, at) => {
      const of = asked[at];
      const isHeldBack =
        of !== undefined && heldBack.has(of.tenant) && beingWritten.has(nameOf({ ...of, key: of.order.key }));
      return isHeldBack ? { ...place, blocked: true } : place;
    };
  }

  return {
    placesOf: async (asked, isWanted) => (await enter({ asked }, { tenant: undefined, isWanted })).places,
    linesOf: async (keys) => (await enter({ keys }, once(undefined))).lines,
    isBeingWritten: (key) => beingWritten.has(nameOf(key)),
    async write(row, isWanted) {
      const name = nameOf({ ...row, key: row.order.key });
      beingWritten.set(name, (beingWritten.get(name) ?? 0) + 1);
      try {
        await enter({ rows: [row] }, { tenant: row.tenant, isWanted });
      } finally {
        const others = (beingWritten.get(name) ?? 1) - 1;
        if (others > 0) beingWritten.set(name, others);
        else beingWritten.delete(name);
      }
    },
    wake: async (endpoint) => void (await enter({ woken: [endpoint] }, once(endpoint.tenant))),
    async remove(rows) {
      const left = await Promise.all(
        [...Map.groupBy(rows, ({ tenant }) => tenant)].map(async ([tenant, removed]) => {
          try {
            await enter({ removed }, once(tenant));
            return [];
          } catch (error) {
            if (isLocked(error)) return removed;
            throw error;
          }
        }),
      );
      return left.flat();
    },
  };
}

function isStillWanted({ isWanted, reject }: Entry): boolean {
  if (isWanted?.() !== false) return true;
  reject(new AppError('stopped', 'given up: no longer wanted'));
  return false;
}

const once = (tenant: string | undefined): Pick<Entry, 'tenant' | 'isWanted'> => ({ tenant, isWanted: undefined });

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
