import { createMatchTurns } from '#lib/event-filter';
import { createItemChoice, createReplayWork, type LeasedReplay, type ReplayItem } from '#lib/replay-store';
import { silentLogger, systemClock } from '#lib/runtime';
import { createChoosing } from '../../../services/api/replays/by-filter/choosing.ts';
import { startAt } from '../../unit/projector/facts.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

export interface ReplayJson {
  id: string;
  status: string;
  operation: string | null;
  matched: number;
  left_out: number;
  replayed: number;
  failed: number;
  remaining: number;
}

export interface Preview {
  as_of: string;
  matched: number;
  left_out: number;
  complete: boolean;
  by_endpoint: { endpoint_id: string; deliveries: number; at_most: boolean }[];
  by_reason: { reason: string; deliveries: number }[];
  seconds: number | null;
}

export type Sent = Extract<ReplayItem, { kind: 'delivery' }>;

/** The API, and by hand what chooses items and what works them off. */
export async function createBulkWorld() {
  const api: OpenApi = await openApi({ clock: systemClock });
  const { postgres } = api;
  const work = createReplayWork(postgres);
  const choosing = createChoosing({
    choice: createItemChoice(postgres),
    store: postgres,
    turns: createMatchTurns(),
    unjudgedFilters: { note: () => undefined },
    log: silentLogger,
  });
  const never = new AbortController().signal;

  const lease = async (owner = 'me'): Promise<LeasedReplay | undefined> => (await work.lease(owner, 'bulk', 1))[0];

  /** Works a leased replay off, at most so many turns. */
  async function workOff(replay: LeasedReplay, turns = Infinity, perTurn = 100): Promise<Sent[]> {
    const sent: Sent[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const taken = await work.take(replay, perTurn);
      if (taken === 'lost' || 'ended' in taken) break;
      if (taken.isUnchosen) await choosing(never);
      sent.push(...taken.items.filter((item) => item.kind === 'delivery'));
      if (taken.items.length > 0)
        await work.settle(
          replay,
          taken.items.map(({ item }) => ({ item, reason: null })),
        );
    }
    return sent;
  }

  return {
    api,
    postgres,
    work,
    choose: () => choosing(never),
    lease,
    workOff,
    /** Leases what is first and works it off. */
    async runNext(): Promise<Sent[]> {
      const replay = await lease();
      if (replay === undefined) throw new Error('nothing to work off');
      return workOff(replay);
    },
    as(tenant: string) {
      const post = (path: string, body: object) => api.ask({ method: 'POST', path: `/v1${path}`, tenant, body });
      const dryRun = async (path: string, body: object) => {
        const answer = await post(path, { ...body, dry_run: true });
        if (answer.status !== 202) throw new Error(answer.text);
        return answer.json<Preview>();
      };
      return {
        post,
        dryRun,
        /** With the as_of of a dry run just before, unless another is given. */
        async start(path: string, body: object, asOf?: string): Promise<ReplayJson> {
          const as_of = asOf ?? (await dryRun(path, body)).as_of;
          const answer = await post(path, { ...body, as_of });
          if (answer.status !== 202) throw new Error(answer.text);
          return answer.json<ReplayJson>();
        },
        look: async (id: string) => (await api.ask({ path: `/v1/replays/${id}`, tenant })).json<ReplayJson>(),
        get: (path: string) => api.ask({ path: `/v1${path}`, tenant }),
        cancel: (id: string) => api.ask({ method: 'DELETE', path: `/v1/replays/${id}`, tenant }),
        async endpoint(settings: object = {}): Promise<string> {
          const answer = await post('/endpoints', { url: 'https://receiver.example/hook', ...settings });
          return answer.json<{ id: string }>().id;
        },
      };
    },
    close: () => api.close(),
  };
}

export type BulkWorld = Awaited<ReturnType<typeof createBulkWorld>>;

/** Events of a tenant, numbered, written without the projector: as many as wanted. */
export async function insertEvents(
  { postgres }: BulkWorld,
  tenant: string,
  count: number,
  { from = 0, type = 'order.paid', receivedAt = startAt }: { from?: number; type?: string; receivedAt?: number } = {},
): Promise<void> {
  await postgres.query(
    `INSERT INTO events (tenant, id, source_id, type, receipt_id, origin, dedup_key, status, received_at, updated_at)
     SELECT $1, 'evt_' || lpad(n::text, 8, '0'), 'src_1', $4, 'rcp_' || n, 'r-0-' || n, decode(md5(n::text), 'hex'), 'completed',
            to_timestamp($5::float8 / 1000000), to_timestamp($5::float8 / 1000000) + n * interval '1 microsecond'
       FROM generate_series($2::int + 1, $2::int + $3::int) AS n`,
    [tenant, from, count, type, receivedAt],
  );
}
