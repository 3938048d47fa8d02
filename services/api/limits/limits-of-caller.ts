import { unfinishedReplays } from '#lib/replay-store';
import {
  type LimitName,
  limitTable,
  type LimitUnit,
  type OtherLimit,
  type ShareDefinition,
  shareTable,
  tenantLimitRaisedBy,
} from '#lib/tenancy';
import { countTypes } from '../event-types/type-transaction.ts';
import type { KnownKey } from '../keys/key-directory.ts';
import { countOpenSessions } from '../resources/session.ts';
import { countsOf, findTenant } from '../resources/tenant.ts';
import type { RouteDeps } from '../route.ts';
import { type ApiLimitName, apiLimits, plainText } from './api-limits.ts';

/** A limit as clients see it. */
interface ShownLimit {
  name: string;
  /** To whom it applies. */
  whose: string;
  /** Null: there is none, or it is a share of what is free. */
  limit: number | null;
  /** Null: it is not counted, or nowhere that can be asked cheaply. */
  used: number | null;
  unit: LimitUnit;
  counts: string;
  answer: string;
  raised_by: string;
}

type Deps = Pick<RouteDeps, 'postgres' | 'limits' | 'keyRate' | 'operatorKeys' | 'waiting' | 'polling'>;

/**
 * All limits of the caller's tenant and of its key, with what is used now. Reads a few counters of the tenant, and counts no more rows than its
 * limits allow.
 *
 * @param key undefined: the operator's, which has no rate
 */
export async function limitsOfCaller(
  deps: Deps,
  tenant: string,
  key: Pick<KnownKey, 'rateLimit'> | undefined,
): Promise<ShownLimit[]> {
  const used = await usedBy(deps, tenant);
  const ofTenant = Object.entries(limitTable).map(([name, { unit, counts, atLimit }]) => ({
    ...{ name, whose: 'each tenant' },
    limit: deps.limits.of(tenant, name as LimitName),
    used: used[name as LimitName] ?? null,
    ...{ unit, counts, answer: atLimit, raised_by: tenantLimitRaisedBy },
  }));
  const shared = Object.entries<ShareDefinition>(shareTable).map(([name, { of, counts, atLimit }]) => ({
    ...{ name, whose: 'each tenant', limit: null, used: null, unit: 'count' as const },
    ...{ counts: `${counts}: a share of ${of}`, answer: atLimit, raised_by: 'nobody: the operator sets the whole' },
  }));
  const configured: Partial<Record<ApiLimitName, number | null>> = {
    key_rate: key === undefined ? null : (key.rateLimit ?? deps.keyRate).perSecond,
    key_long_polls: deps.polling.most.ofCredential,
    process_long_polls: deps.polling.most.ofProcess,
  };
  const others = Object.entries<OtherLimit>(apiLimits).map(
    ([name, { whose, usual, unit, counts, atLimit, raisedBy }]) => {
      const set = configured[name as ApiLimitName];
      return {
        ...{ name, whose, limit: set === undefined ? usual : set, used: null },
        ...{ unit, counts, answer: atLimit, raised_by: raisedBy },
      };
    },
  );
  return [...ofTenant, ...shared, ...others].map(({ counts, raised_by, ...row }) => ({
    ...row,
    counts: plainText(counts),
    answer: plainText(row.answer),
    raised_by: plainText(raised_by),
  }));
}

async function usedBy(
  { postgres, limits, operatorKeys, waiting }: Deps,
  tenant: string,
): Promise<Partial<Record<LimitName, number>>> {
  const row = await findTenant(postgres, tenant);
  const { types, bytes } = await countTypes(postgres, tenant);
  const { single, bulk } = await unfinishedReplays(postgres, tenant);
  const mostSessions = limits.of(tenant, 'sessions');
  return {
    ...countsOf(row),
    sessions: await countOpenSessions(postgres, tenant, operatorKeys.fingerprints, mostSessions),
    waiting_requests: waiting.of(tenant),
    replays: bulk,
    single_replays: single,
    event_types: types,
    event_type_bytes: bytes,
  };
}
