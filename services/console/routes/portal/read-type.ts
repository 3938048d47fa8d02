import { ApiError } from '#client';
import {
  addressOfName,
  type AliasKind,
  type EventTypeAliasView,
  type EventTypeVersionView,
  type EventTypeView,
} from '#lib/contract';
import type { ReadApi } from '../../api-calls/console-api.ts';
import { type TypeWithNewest, type Version, withTexts } from '../../catalog/catalog.ts';
import { rawMember } from '../../parts/raw-member.ts';

/** @returns the name of today and how it came about, if this is a former one. @throws ApiError */
export async function readType(
  api: ReadApi,
  name: string,
): Promise<{ kind: 'found'; type: TypeWithNewest } | { kind: 'moved'; to: string; by: AliasKind }> {
  try {
    const text = (await api.bytes(addressOfName('/event-types', name))).bytes.toString();
    const type = JSON.parse(text) as EventTypeView;
    const newest = type.newest && withTexts(type.newest, rawMember(text, 'newest') ?? '');
    return { kind: 'found', type: { ...type, newest } };
  } catch (error) {
    const alias = error instanceof ApiError ? aliasIn(error) : undefined;
    if (alias === undefined) throw error;
    return { kind: 'moved', to: alias.target, by: alias.kind };
  }
}

/** @throws ApiError */
export async function readVersion(api: ReadApi, name: string, version: number): Promise<Version> {
  const text = (await api.bytes(addressOfName('/event-types', name, `/versions/${version}`))).bytes.toString();
  return withTexts(JSON.parse(text) as EventTypeVersionView, text);
}

/** The body of a 301, which the API answers for a former name. */
function aliasIn({ failure }: ApiError): EventTypeAliasView | undefined {
  if (failure.kind !== 'unexpected_answer' || failure.status !== 301) return undefined;
  return JSON.parse(failure.body) as EventTypeAliasView;
}
