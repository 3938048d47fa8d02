/**
 * Decides by what is stored what an import does: pure, so that a dry run is the same decision without the writing. Everything that the decision needs is
 * read by five statements, however many types there are.
 */
import { isDeepStrictEqual } from 'node:util';
import type { TypeLink } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import { type Clock, createId, type RandomBytes } from '#lib/runtime';
import { type LimitName, type TenantLimits } from '#lib/tenancy';
import { decideNames, type KnownNames } from './decide-names.ts';
import {
  contentOf,
  firstVersion,
  linksOf,
  nextVersion,
  textBytes,
  versionBytes,
  wordsBeside,
  wordsOf,
  wrongLinks,
} from './describe-type.ts';
import { givenType, type TypeContent, typeContent } from './given-type.ts';
import { type ImportReport, type PreparedType, sentenceOf } from './prepare-import.ts';
import { type EventTypeRow, findEventTypes, findLinks } from './queries.ts';
import { countWords } from './type-texts.ts';
import { countTypes, readNames } from './type-transaction.ts';
import { findNewestFacts, type NewVersion, type VersionFacts } from './versions.ts';

/** A type that is created, or written anew. */
export interface PlannedType {
  id: string;
  name: string;
  content: TypeContent;
  words: number;
  bytes: number;
  published: NewVersion | undefined;
  /** As it is stored; undefined: it is created. */
  before: EventTypeRow | undefined;
}

export interface ImportPlan {
  report: ImportReport;
  types: PlannedType[];
}

export interface StoredTypes {
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
  const linked = prepared.flatMap(({ content, version }) => linksOf({ content: typeContent(content), version }).all);
  const ofStored = [...types.values()].flatMap((type) => linksOf({ content: contentOf(type), version: undefined }).all);
  return {
    names: await readNames(postgres, tenant, names),
    types,
    newest: await findNewestFacts(
      postgres,
      tenant,
      [...types.values()].map(({ id }) => id),
    ),
    links: await findLinks(postgres, tenant, [...linked, ...ofStored]),
    usage: await countTypes(postgres, tenant),
  };
}

interface PlanDeps {
  clock: Clock;
  random: RandomBytes;
  /** A limit of the tenant. */
  limitOf(limit: LimitName): number;
}

export const limitsOf =
  (limits: TenantLimits, tenant: string) =>
  (limit: LimitName): number =>
    limits.of(tenant, limit);

/** @returns undefined if a type has another version than the one that it was prepared against: it is to be prepared again */
function planImport(
  prepared: readonly PreparedType[],
  stored: StoredTypes,
  { clock, random, limitOf }: PlanDeps,
): ImportPlan | undefined {
  const report: ImportReport = { created: [], changed: [], unchanged: [], refused: [], left_out: [] };
  const types: PlannedType[] = [];
  const linkable = new Set(prepared.map(({ name }) => name));
  const left = {
    types: limitOf('event_types') - stored.usage.types,
    bytes: limitOf('event_type_bytes') - stored.usage.bytes,
  };
  const refuse = (name: string, reason: string): void => void report.refused.push({ name, reason });
  const overLimit = (more: { types: number; bytes: number }): LimitName | undefined => {
    if (more.types > left.types) return 'event_types';
    if (more.bytes > 0 && more.bytes > left.bytes) return 'event_type_bytes';
    left.types -= more.types;
    left.bytes -= more.bytes;
    return undefined;
  };

  for (const { name, content: given, version } of prepared) {
    const before = stored.types.get(name);
    const content =
      before === undefined ? typeContent(given) : typeContent({ ...givenType(contentOf(before)), ...given });
    const id = before?.id ?? createId('typ', clock.nowMs(), random);
    const decided = decideNames(
      stored.names,
      before === undefined ? { do: 'create', name, typeId: id } : { do: 'change', name },
    );
    if (decided.kind === 'refused') {
      refuse(name, decided.detail);
      continue;
    }
    const errors = wrongLinks({ name, content, version, linkable }, stored.links);
    if (errors.length > 0) {
      refuse(name, sentenceOf(errors));
      continue;
    }
    if (version !== undefined && version.comparedWith !== (before?.version ?? null)) return undefined;
    const published =
      version === undefined
        ? undefined
        : before === undefined
          ? firstVersion(version)
          : nextVersion(stored.newest.get(before.id), version);
    if (published !== undefined && 'refused' in published) {
      refuse(name, published.detail);
      continue;
    }
    const fields = before === undefined ? [] : changedFields(contentOf(before), content);
    if (before !== undefined && fields.length === 0 && published === undefined) {
      report.unchanged.push(name);
      continue;
    }
    const more =
      textBytes(content) -
      (before === undefined ? -500 : textBytes(before)) +
      (published === undefined ? 0 : versionBytes(version));
    const limit = overLimit({ types: before === undefined ? 1 : 0, bytes: more });
    if (limit !== undefined) {
      refuse(name, `the limit ${limit} is reached`);
      continue;
    }
    const ofVersion = published === undefined ? (before === undefined ? 0 : wordsBeside(before)) : wordsOf(version);
    types.push({
      id,
      name,
      content,
      published,
      before,
      words: countWords(content, ofVersion),
      bytes: (before?.bytes ?? 0) + more,
    });
    if (before === undefined) report.created.push(name);
    else
      report.changed.push({
        name,
        fields,
        version: published?.version ?? null,
        compatibility: published?.compatibility ?? null,
        differences: published?.differences ?? [],
      });
  }
  return { report, types };
}

const compared = ['description', 'notes', 'category', 'visibility', 'enforce', 'deprecation'] as const;

const changedFields = (before: TypeContent, content: TypeContent): string[] =>
  compared.filter((field) => !isDeepStrictEqual(before[field], content[field]));

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
