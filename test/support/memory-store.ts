import { AppError, type Clock, type RandomBytes } from '#lib/runtime';
import type {
  Begun,
  Ending,
  Found,
  GroupEnding,
  IdempotencyStore,
  KeptResponse,
  KeyedRequest,
  Run,
} from '../../libs/idempotency/ports.ts';

/** Changes made by handlers, applied together when the record is stored. */
export interface MemoryEffects {
  apply(change: () => void): void;
}

interface Options {
  /** The store's own: the only one that leases and expiries are judged by. */
  clock: Clock;
  random: RandomBytes;
  lockSeconds: number;
  ttlSeconds: number;
}

interface Row {
  requestHash: Buffer;
  token: Buffer;
  /** Undefined once the answer is final. */
  leaseEndsAtMs: number | undefined;
  /** Undefined until there is a provisional or final one. */
  response: KeptResponse | undefined;
  expiresAtMs: number;
}

/** For tests, and for single processes whose effects are in memory too: it loses everything at the end, and never sweeps. */
export function createMemoryStore({
  clock,
  random,
  lockSeconds,
  ttlSeconds,
}: Options): IdempotencyStore<MemoryEffects> {
  const rows = new Map<string, Row>();
  const leaseEnd = (): number => clock.nowMs() + lockSeconds * 1000;

  function look(request: KeyedRequest): Found | { kind: 'abandoned'; row: Row } {
    const row = rows.get(nameOf(request));
    if (row === undefined || row.expiresAtMs <= clock.nowMs()) return { kind: 'none' };
    if (row.leaseEndsAtMs !== undefined && row.leaseEndsAtMs > clock.nowMs()) return { kind: 'in_progress' };
    if (row.response === undefined) return { kind: 'none' };
    if (!row.requestHash.equals(request.requestHash)) return { kind: 'other_request' };
    if (row.leaseEndsAtMs !== undefined) return { kind: 'abandoned', row };
    return { kind: 'completed', response: row.response, forSeconds: (row.expiresAtMs - clock.nowMs()) / 1000 };
  }

  function createRun(request: KeyedRequest, token: Buffer): Run<MemoryEffects> {
    let changes: (() => void)[] = [];
    let state: 'open' | 'provisional' | 'lost' | 'ended' = 'open';

    const ownRow = (): Row | undefined => {
      const row = rows.get(nameOf(request));
      return row?.token.equals(token) === true ? row : undefined;
    };
    const keep = (response: KeptResponse, leaseEndsAtMs: number | undefined): Ending => {
      const row = ownRow();
      const isOver = state === 'open' && (row?.leaseEndsAtMs ?? 0) <= clock.nowMs();
      if (row === undefined || isOver || state === 'lost') return 'lost';
      for (const change of changes) change();
      changes = [];
      Object.assign(row, { response, leaseEndsAtMs, expiresAtMs: clock.nowMs() + ttlSeconds * 1000 });
      return 'kept';
    };

    return {
      effects: {
        apply(change) {
          if (state === 'open') changes.push(change);
          else if (state === 'provisional') change();
          else throw new AppError('bug', 'a change after the answer of its request');
        },
      },
      async renew() {
        const row = ownRow();
        if (row?.leaseEndsAtMs === undefined || row.leaseEndsAtMs <= clock.nowMs()) return false;
        row.leaseEndsAtMs = leaseEnd();
        return true;
      },
      async commit(provisional) {
        const ending = keep(provisional, leaseEnd());
        state = ending === 'kept' ? 'provisional' : 'lost';
        return ending;
      },
      async complete(response) {
        const ending = keep(response, undefined);
        state = 'ended';
        return ending;
      },
      async release() {
        const row = ownRow();
        if (row === undefined || state === 'lost') return 'lost';
        if (state === 'open') rows.delete(nameOf(request));
        else row.leaseEndsAtMs = undefined;
        state = 'ended';
        return 'released';
      },
    };
  }

  return {
    unkeyed: { apply: (change) => change() },
    async begin(request): Promise<Begun<MemoryEffects>> {
      const seen = look(request);
      if (seen.kind === 'abandoned') {
        Object.assign(seen.row, { token: random(16), leaseEndsAtMs: undefined });
        return this.begin(request);
      }
      if (seen.kind !== 'none') return seen;
      const token = random(16);
      rows.set(nameOf(request), {
        requestHash: request.requestHash,
        token,
        leaseEndsAtMs: leaseEnd(),
        response: undefined,
        expiresAtMs: Number.POSITIVE_INFINITY,
      });
      return { kind: 'run', run: createRun(request, token) };
    },
    recall: async () => undefined,
    async runTogether(requests, write) {
      const begun = await Promise.all(requests.map(async (request) => request && this.begin(request)));
      const running = [...begun.keys()].filter((at) => begun[at] === undefined || begun[at].kind === 'run');
      const endings = requests.map((): GroupEnding => ({ kind: 'alone' }));
      if (running.length === 0) return endings;
      const runs = begun.flatMap((one) => (one?.kind === 'run' ? [one.run] : []));
      const changes: (() => void)[] = [];
      const endAll = async (): Promise<void> => void (await Promise.all(runs.map((run) => run.release())));
      let responses: KeptResponse[];
      try {
        responses = await write({ apply: (change) => changes.push(change) }, running);
      } catch (error) {
        await endAll();
        throw error;
      }
      const isHeld = (await Promise.all(runs.map((run) => run.renew()))).every(Boolean);
      if (isHeld) for (const change of changes) change();
      else await endAll();
      for (const [turn, at] of running.entries()) {
        const response = responses[turn] as KeptResponse;
        const one = begun[at];
        if (isHeld && one?.kind === 'run') await one.run.complete(response);
        endings[at] = isHeld ? { kind: 'kept', response } : { kind: 'lost' };
      }
      return endings;
    },
    async find(request) {
      const seen = look(request);
      return seen.kind === 'abandoned' ? { kind: 'in_progress' } : seen;
    },
  };
}

const nameOf = ({ tenant, credential, keyHash }: KeyedRequest): string =>
  JSON.stringify([tenant, credential, keyHash.toString('hex')]);
