import { createId } from '#lib/runtime';
import type { FieldErrors } from '../http/send-problem.ts';
import { insertChanges } from './changes.ts';
import { contentOf, type TypeContent } from './given-type.ts';
import {
  type Described,
  entriesOf,
  isUnchanged,
  linksOf,
  type PlannedType,
  planType,
  wrongLinks,
} from './plan-type.ts';
import { findLinks } from './queries.ts';
import { eventTypeOf } from './shown-types.ts';
import {
  type Changing,
  decide,
  findLive,
  finish,
  limitOf,
  type Named,
  noteAudience,
  type Refused,
  set,
  type Stale,
  type TypeChanged,
  unchanged,
  writeNames,
} from './type-transaction.ts';
import { findNewestFacts, insertVersions } from './versions.ts';
import { columnsOf, insertTypes } from './write-types.ts';

/** Creates a type. */
export async function createType(changing: Changing, described: Described): Promise<TypeChanged | Refused> {
  const { clock, random } = changing;
  const { name } = described;
  const id = createId('typ', clock.nowMs(), random);
  const decision = await decide(changing, { do: 'create', name, typeId: id });
  if ('refused' in decision) return decision;
  const errors = await linkErrors(changing, described);
  if (errors.length > 0) return { errors };
  const planned = planType({ ...described, id, before: undefined, newest: undefined });
  if ('refused' in planned) return planned;
  const limit = await limitOf(changing, { types: 1, bytes: planned.bytes });
  if (limit !== undefined) return { limit };

  await insertTypes(changing, [planned]);
  await writeNames(changing, decision.names);
  await publish(changing, planned);
  return finish(changing, name);
}

interface Describing extends Omit<Described, 'content'> {
  ifMatch: Named['ifMatch'];
  /** @param stored what it is now */
  content(stored: TypeContent): TypeContent | { errors: FieldErrors };
}

/** Changes a type to this; the version is published if it differs from the newest one. */
export async function describeType(
  changing: Changing,
  { name, ifMatch, version, content: contentFor }: Describing,
): Promise<TypeChanged | Refused | Stale> {
  const { tx, tenant, clock } = changing;
  const found = await findLive(changing, { name, ifMatch });
  if ('refused' in found) return found;
  const { id } = found;
  const content = contentFor(contentOf(found));
  if ('errors' in content) return content;
  const errors = await linkErrors(changing, { name, content, version });
  if (errors.length > 0) return { errors };

  if (version !== undefined && version.comparedWith !== found.version) return { stale: true };
  const newest = version === undefined ? undefined : (await findNewestFacts(tx, tenant, [id])).get(id);
  const planned = planType({ id, name, content, version, before: found, newest });
  if ('refused' in planned) return planned;
  if (isUnchanged(planned)) return unchanged(changing, found);
  const limit = planned.moreBytes > 0 ? await limitOf(changing, { types: 0, bytes: planned.moreBytes }) : undefined;
  if (limit !== undefined) return { limit };

  const before = await eventTypeOf(tx, tenant, found);
  if (found.visibility !== content.visibility) await noteAudience(changing, id);
  await set(changing, id, columnsOf(planned, clock));
  await publish(changing, planned);
  return finish(changing, name, before);
}

/** Its version, if it has a new one, and the entries in the list of changes. */
async function publish(changing: Changing, planned: PlannedType): Promise<void> {
  const { id: typeId, published } = planned;
  if (published !== undefined) await insertVersions(changing.tx, changing.tenant, [{ ...published, typeId }]);
  await insertChanges(changing, entriesOf(planned));
}

const linkErrors = async ({ tx, tenant }: Changing, described: Described): Promise<FieldErrors> =>
  wrongLinks(described, await findLinks(tx, tenant, linksOf(described).all));
