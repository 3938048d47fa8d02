/**
 * Decides by what is stored what an import does: pure, so that a dry run is the same decision without the writing. Everything that the decision needs is
 * read by five statements, however many types there are.
 */
import type { TypeLink } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import { createId } from '#lib/runtime';
import type { LimitName } from '#lib/tenancy';
import type { RouteDeps } from '../route.ts';
import { decideNames, type KnownNames } from './decide-names.ts';
import { contentOf, givenType, typeContent } from './given-type.ts';
import { isUnchanged, linksOf, type PlannedType, planType, wrongLinks } from './plan-type.ts';
import { type ImportReport, type PreparedType, sentenceOf } from './prepare-import.ts';
import { type EventTypeRow, findEventTypes, findLinks } from './queries.ts';
import { countTypes, readNames } from './type-transaction.ts';
import { findNewestFacts, type VersionFacts } from './versions.ts';

interface ImportPlan {
  report: ImportReport;
  types: PlannedType[];
}

interface StoredTypes {
  names: KnownNames;
  /** By their current names. */
  types: ReadonlyMap<string, EventTypeRow>;
  /** The newest versions, by the ids of their types. */
  newest: ReadonlyMap<string, VersionFacts>;
  links: ReadonlyMap<string, TypeLink>;
  usage: { types: number; bytes: number };
}

export async function readStored(
  postgres: Query,
  tenant: string,
  prepared: readonly PreparedType[],
): Promise<StoredTypes> {
  const names = prepared.map(({ name }) => name);
  const types = await findEventTypes(postgres, tenant, names);
  const stored = [...types.values()];
  const linked = prepared.flatMap(({ content, version }) => linksOf({ content: typeContent(content), version }).all);
  const ofStored = stored.flatMap((type) => linksOf({ content: contentOf(type), version: undefined }).all);
  const ids = stored.map(({ id }) => id);
  return {
    names: await readNames(postgres, tenant, names),
    types,
    newest: await findNewestFacts(postgres, tenant, ids),
    links: await findLinks(postgres, tenant, [...linked, ...ofStored]),
    usage: await countTypes(postgres, tenant),
  };
}

type PlanDeps = Pick<RouteDeps, 'clock' | 'random' | 'limits'> & { tenant: string };

/** @returns undefined if a type has another version than the one that it was prepared against: it is to be prepared again */
function planImport(
  prepared: readonly PreparedType[],
  stored: StoredTypes,
  { clock, random, limits, tenant }: PlanDeps,
): ImportPlan | undefined {
  const report: ImportReport = { created: [], changed: [], unchanged: [], refused: [], left_out: [] };
  const types: PlannedType[] = [];
  const linkable = new Set(prepared.map(({ name }) => name));
  const left = {
    types: limits.of(tenant, 'event_types') - stored.usage.types,
    bytes: limits.of(tenant, 'event_type_bytes') - stored.usage.bytes,
  };
  const overLimit = (more: { types: number; bytes: number }): LimitName | undefined => {
    if (more.types > 0 && more.types > left.types) return 'event_types';
    if (more.bytes > 0 && more.bytes > left.bytes) return 'event_type_bytes';
    left.types -= more.types;
    left.bytes -= more.bytes;
    return undefined;
  };

  function planOne({ name, content: given, version }: PreparedType): PlannedType | { detail: string } | 'stale' {
    const before = stored.types.get(name);
    const content = typeContent(before === undefined ? given : { ...givenType(contentOf(before)), ...given });
    const id = before?.id ?? createId('typ', clock.nowMs(), random);
    const decided = decideNames(
      stored.names,
      before === undefined ? { do: 'create', name, typeId: id } : { do: 'change', name },
    );
    if (decided.kind === 'refused') return decided;
    const errors = wrongLinks({ name, content, version }, stored.links, linkable);
    if (errors.length > 0) return { detail: sentenceOf(errors) };
    if (version !== undefined && version.comparedWith !== (before?.version ?? null)) return 'stale';
    const planned = planType({ id, name, content, version, before, newest: stored.newest.get(id) });
    if ('refused' in planned || isUnchanged(planned)) return planned;
    const limit = overLimit({ types: before === undefined ? 1 : 0, bytes: planned.moreBytes });
    return limit === undefined ? planned : { detail: `the limit ${limit} is reached` };
  }

  for (const one of prepared) {
    const { name } = one;
    const planned = planOne(one);
    if (planned === 'stale') return undefined;
    if ('detail' in planned) report.refused.push({ name, reason: planned.detail });
    else if (isUnchanged(planned)) report.unchanged.push(name);
    else {
      types.push(planned);
      const { fields, published } = planned;
      const { version = null, compatibility = null, differences = [] } = published ?? {};
      if (planned.before === undefined) report.created.push(name);
      else report.changed.push({ name, fields, version, compatibility, differences });
    }
  }
  return { report, types };
}

/** Each leaves out at least one type; more happen only to types that link to each other in a row. */
const mostPlans = 10;

/** The same without the types that are refused, and without those that link to them; `possible`: the others, which the plan writes. */
export function planPossible(
  prepared: readonly PreparedType[],
  stored: StoredTypes,
  deps: PlanDeps,
): (ImportPlan & { possible: readonly PreparedType[] }) | undefined {
  const refused: ImportReport['refused'] = [];
  let possible = prepared;
  for (let plans = 1; ; plans += 1) {
    const planned = planImport(possible, stored, deps);
    if (planned === undefined) return undefined;
    const { report } = planned;
    if (report.refused.length === 0) return { ...planned, possible, report: { ...report, refused } };
    refused.push(...report.refused);
    const without = new Set(report.refused.map(({ name }) => name));
    const rest = possible.filter(({ name }) => !without.has(name));
    possible = plans < mostPlans ? rest : [];
    if (plans === mostPlans)
      refused.push(...rest.map(({ name }) => ({ name, reason: 'types that it may link to are left out' })));
  }
}
