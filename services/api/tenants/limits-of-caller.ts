import type { Limit } from '#lib/api-contract';
import type { Rate } from '#lib/rate-limit';
import { unfinishedReplays } from '#lib/replay-store';
import {
  type LimitName,
  limitNames,
  limitTable,
  type OtherLimit,
  type ShareName,
  shareTable,
  tenantLimitRaisedBy,
} from '#lib/tenancy';
import { countOpenSessions } from '../access/index.ts';
import { countTypes } from '../event-types/index.ts';
import { type ApiLimitName, apiLimits, exportBucket, exportRate, plainText } from '../http/api-limits.ts';
import type { KnownKey } from '../keys/key-directory.ts';
import { credentialBucket, tenantRate } from '../limits/rates.ts';
import type { RouteDeps } from '../route.ts';
import { countSearches } from '../searching/search-places.ts';
import { countsOf, findTenant } from './queries.ts';

type Deps = Pick<
  RouteDeps,
  'postgres' | 'limits' | 'keyRate' | 'operatorKeys' | 'waiting' | 'connections' | 'polling' | 'search' | 'ratesLeft'
>;

interface Asking {
  tenant: string;
  /** The id of the key, or `admin`. */
  credential: string;
  /** Undefined: the operator's, which has no rate. */
  key: Pick<KnownKey, 'id' | 'rateLimit'> | undefined;
}

type AnyName = LimitName | ShareName | ApiLimitName;

/**
 * All limits of the caller's tenant and of its key, with what is used now. Reads a few counters of the tenant, and counts no more rows than its
 * limits allow.
 */
export async function limitsOfCaller(deps: Deps, asking: Asking): Promise<Limit[]> {
  const { tenant, key } = asking;
  const used: Partial<Record<AnyName, number | null>> = {
    ...(await usedInStores(deps, tenant)),
    ...(await usedOfRates(deps, asking)),
    ...usedHere(deps, asking),
  };
  const configured: Partial<Record<ApiLimitName, number | null>> = {
    key_rate: key === undefined ? null : (key.rateLimit ?? deps.keyRate).perSecond,
    key_long_polls: deps.polling.most.ofCredential,
    process_long_polls: deps.polling.most.ofProcess,
  };
  const shown = (name: AnyName, limit: number | null, said: Said): Limit => ({
    name,
    whose: said.whose ?? 'each tenant',
    limit,
    used: used[name] ?? null,
    unit: said.unit ?? 'count',
    counts: plainText(said.counts),
    answer: plainText(said.atLimit),
    raised_by: plainText(said.raisedBy ?? tenantLimitRaisedBy),
  });
  return [
    ...limitNames.map((name) => shown(name, deps.limits.of(tenant, name), limitTable[name])),
    ...entriesOf(shareTable).map(([name, { of, counts, atLimit }]) =>
      shown(name, null, { counts: `${counts}: a share of ${of}`, atLimit, raisedBy: raisesShares }),
    ),
    ...entriesOf(apiLimits).map(([name, said]) =>
      shown(name, configured[name] === undefined ? said.usual : configured[name], said),
    ),
  ];
}

/** The words for a limit; absent ones are those of most. */
type Said = Pick<OtherLimit, 'counts' | 'atLimit'> & Partial<OtherLimit>;

const raisesShares = 'nobody: the operator sets the whole';

const entriesOf = <Name extends string, T>(table: Readonly<Record<Name, T>>) => Object.entries(table) as [Name, T][];

async function usedInStores(
  { postgres, limits, operatorKeys }: Deps,
  tenant: string,
): Promise<Partial<Record<LimitName, number>>> {
  const row = await findTenant(postgres, tenant);
  const { types, bytes } = await countTypes(postgres, tenant);
  const { single, bulk } = await unfinishedReplays(postgres, tenant);
  const mostSessions = limits.of(tenant, 'sessions');
  return {
    ...countsOf(row),
    sessions: await countOpenSessions(postgres, tenant, operatorKeys.fingerprints, mostSessions),
    replays: bulk,
    single_replays: single,
    event_types: types,
    event_type_bytes: bytes,
    searches: await countSearches(postgres, tenant, limits.of(tenant, 'searches')),
  };
}

/** Requests of each burst that are not back yet; null while Redis is away. */
async function usedOfRates(
  { ratesLeft, limits, keyRate }: Deps,
  { tenant, key }: Asking,
): Promise<Partial<Record<AnyName, number | null>>> {
  const usedOf = async (bucket: string, rate: Rate): Promise<number | null> => {
    const left = await ratesLeft.left(bucket, rate);
    return left === undefined ? null : Math.max(0, Math.ceil(rate.burst - left));
  };
  const [ofTenant, exports, ofKey] = await Promise.all([
    usedOf(tenant, tenantRate(limits, tenant)),
    usedOf(exportBucket(tenant), exportRate),
    key === undefined ? null : usedOf(credentialBucket(tenant, key.id), key.rateLimit ?? keyRate),
  ]);
  return { requests_per_second: ofTenant, exports, key_rate: ofKey };
}

/** Counts what this process holds alone. */
function usedHere(
  { waiting, connections, polling: { held }, search }: Deps,
  { tenant, credential }: Asking,
): Partial<Record<AnyName, number>> {
  const polls = held.taken(tenant);
  return {
    waiting_requests: waiting.of(tenant),
    long_polls: polls,
    held_polls: polls,
    key_long_polls: held.taken(tenant, credential),
    process_long_polls: held.taken(),
    process_searches: search.running(),
    database_connections: connections.held(tenant),
  };
}
