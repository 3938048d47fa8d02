import type { Source } from '#lib/api-contract';
import {
  dedupRules,
  publishedSourceId,
  sourceDefaults,
  type SourceScheme,
  type SourceSettings,
  type StoredSecret,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { identityRule } from '#lib/signatures';
import type { TenantLimits } from '#lib/tenancy';
import type { FilterTable } from '../http/filters.ts';
import { containsText } from '../resources/bounded-list.ts';
import { createResourceTable, type Named, type ResourceRow } from '../resources/resource-table.ts';
import { openSecrets, sealSecrets } from '../resources/stored-secrets.ts';
import { type Room, roomExpression, roomValues } from '../resources/tenant-room.ts';
import { sourceAdvice } from './settings.ts';

export interface SourceRow extends ResourceRow {
  name: string;
  scheme: SourceScheme;
  settings: SourceSettings;
  /** `dedupRules` of #lib/contract. */
  dedup_rule: number;
}

const columns = 'id, name, scheme, settings, dedup_rule, revision, created_at, deleted_at';

export const sourceTable = createResourceTable<SourceRow>('sources', 'src', columns);

/**
 * The source as clients see it: unset settings show their default, or are absent where the scheme decides. A secret only shows that it is
 * set.
 */
export function sourceOf(row: SourceRow, ingressUrl: string): Source {
  const { verify_token: verifyToken, ...settings } = row.settings;
  const { places, with: countedWith } = identityRule(row.scheme, row.settings, row.dedup_rule);
  return {
    id: row.id,
    name: row.name,
    scheme: row.scheme,
    ingest_url: ingestUrl(ingressUrl, row.id),
    ...sourceDefaults,
    ...settings,
    ...(verifyToken !== undefined && { verify_token_set: true }),
    identified_by: { places, with: countedWith },
    advice: sourceAdvice(row.scheme, row.settings),
    created_at: row.created_at,
  };
}

export const ingestUrl = (ingressUrl: string, id: string): string => `${ingressUrl}/v1/webhooks/${id}`;

/** With its secrets, to verify and to sign with; a deleted one without. */
export async function findWithSecrets(
  postgres: Query,
  secretBox: SecretBox,
  tenant: string,
  id: string,
): Promise<SourceRow | (SourceRow & { secrets: StoredSecret[] }) | undefined> {
  const source = await sourceTable.find(postgres, tenant, id);
  if (source === undefined || source.deleted_at !== null) return source;
  const [sealed] = await postgres.query<{ secrets: Buffer }>(
    'SELECT secrets FROM sources WHERE tenant = $1 AND id = $2 AND deleted_at IS NULL',
    [tenant, id],
  );
  if (sealed === undefined) return sourceTable.find(postgres, tenant, id);
  return { ...source, secrets: openSecrets(secretBox, { table: 'sources', tenant, id }, sealed.secrets) };
}

interface NewSource extends Pick<SourceRow, 'id' | 'name' | 'scheme' | 'settings'> {
  tenant: string;
  secret: string;
}

/** Undefined: the tenant has reached a limit. */
export async function insertSource(
  postgres: Query,
  secretBox: SecretBox,
  { tenant, id, name, scheme, settings, secret }: NewSource,
  limits: TenantLimits,
): Promise<SourceRow | undefined> {
  const [row] = await postgres.query<SourceRow>(
    `WITH ${roomExpression('sources', 7)}
     INSERT INTO sources (tenant, id, name, scheme, settings, secrets, dedup_rule, created_at, changed_at)
     SELECT tenant, $2, $3, $4, $5::jsonb, $6::bytea, ${dedupRules.ofScheme}, clock_timestamp(), clock_timestamp()
       FROM room
     RETURNING ${columns}`,
    [
      tenant,
      id,
      name,
      scheme,
      JSON.stringify(settings),
      sealSecrets(secretBox, { table: 'sources', tenant, id }, [{ secret }]),
      ...roomValues(sourceRoom(tenant, limits)),
    ],
  );
  return row;
}

export const sourceRoom = (tenant: string, limits: TenantLimits): Room => ({ tenant, kind: 'sources', limits });

export const setContent = (
  tx: Query,
  named: Named,
  { name, settings, dedup_rule }: Pick<SourceRow, 'name' | 'settings' | 'dedup_rule'>,
) =>
  sourceTable.set(tx, named, 'name = $3, settings = $4, dedup_rule = $5', [name, JSON.stringify(settings), dedup_rule]);

export const setSecrets = (tx: Query, secretBox: SecretBox, named: Named, secrets: readonly StoredSecret[]) =>
  sourceTable.set(tx, named, 'secrets = $3', [sealSecrets(secretBox, { table: 'sources', ...named }, secrets)]);

/** The ids that are not sources of the tenant, nor stand for published events. Sources of other tenants count as unknown. */
export async function unknownSources(postgres: Query, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const unknown = new Set(ids.filter((id) => id !== publishedSourceId));
  const possible = ids.filter((id) => sourceTable.idPattern.test(id));
  if (possible.length === 0) return unknown;
  const rows = await postgres.query<{ id: string }>(
    'SELECT id FROM sources WHERE tenant = $1 AND id = ANY ($2::text[]) AND deleted_at IS NULL',
    [tenant, possible],
  );
  for (const { id } of rows) unknown.delete(id);
  return unknown;
}

/** The step of the statistics: minutes, by which webhooks are counted. */
const countedLately = (dimension: string, what: string): string =>
  `EXISTS (SELECT FROM stats s
            WHERE s.tenant = sources.tenant AND s.dimension = '${dimension}' AND s.step = 'minute' AND s.key = sources.id
              AND s.at >= date_trunc('minute', clock_timestamp()) - interval '10 minutes' AND ${what})`;

/** The filters of `GET /v1/sources`. Conditions are on columns of `sources`; a tenant has a limited number of them. */
export const filters = {
  failing: {
    condition: (failing) =>
      `(${countedLately('source/rejected', 's.rejected > 0')}
        AND NOT ${countedLately('source', '(s.received > 0 OR s.duplicates > 0)')}) = ${failing}::boolean`,
  },
  q: {
    condition: (text) => containsText(['name'], text),
  },
} satisfies FilterTable;
