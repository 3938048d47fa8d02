import { privateContext, secretsContext } from '#lib/contract';
import { type ResealedResponses, resealResponses } from '#lib/idempotency';
import { createPostgres, type Postgres, postgresAccess } from '#lib/postgres';
import { silentLogger, toAppError } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { loadResealConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { print } from '../output/print.ts';

const batchSize = 100;
const statementTimeoutMs = 30_000;

/** Numbers of rows. A row with an unreadable column is not current, whatever its other column is. */
interface Counts {
  current: number;
  resealed: number;
  unreadable: { id: string; column: string; reason: string }[];
}

/** The sealed columns of each table, and the context of each. */
const sealedColumns = {
  sources: { secrets: (tenant: string, id: string) => secretsContext('sources', tenant, id) },
  endpoints: {
    secrets: (tenant: string, id: string) => secretsContext('endpoints', tenant, id),
    private: privateContext,
  },
};

export async function resealAll(values: { 'dry-run': boolean; json: boolean }, context: Context): Promise<number> {
  const config = loadResealConfig(context);
  const secretBox = createSecretBox(parseEncryptionKeys(config.encryptionKeys));
  const postgres = createPostgres({
    ...postgresAccess(config),
    applicationName: 'hookline-reseal-secrets',
    maxConnections: 1,
    statementTimeoutMs,
    log: silentLogger,
  });
  const dryRun = values['dry-run'];
  await postgres.start();
  try {
    const options = { postgres, secretBox, dryRun };
    const sources = await resealTable('sources', options);
    const endpoints = await resealTable('endpoints', options);
    const kept = await resealResponses(options);
    const answers = { ...kept, unreadable: kept.unreadable.map(answerOf) };
    const all = { sources, endpoints, answers };
    print(context, { dry_run: dryRun, ...all }, values.json, () =>
      Object.entries(all)
        .map(([table, counts]) => describe(table, counts, dryRun))
        .join('\n'),
    );
    return Object.values(all).every(({ unreadable }) => unreadable.length === 0) ? 0 : 1;
  } finally {
    await postgres.stop();
  }
}

const answerOf = ({ keyHash, reason }: ResealedResponses['unreadable'][number]) => ({
  id: keyHash,
  column: 'response',
  reason,
});

type Options = Parameters<typeof resealResponses>[0] & { postgres: Postgres };

/**
 * Walks the table from the first row to the last, one batch a transaction. The rows are locked meanwhile: a secret that is rotated at this
 * moment is resealed as it then is, and never put back. Revisions stay: nothing that is in force changes.
 */
async function resealTable(table: 'sources' | 'endpoints', { postgres, secretBox, dryRun }: Options): Promise<Counts> {
  const counts: Counts = { current: 0, resealed: 0, unreadable: [] };
  const contexts = Object.entries(sealedColumns[table]);
  const columns = contexts.map(([column]) => column);

  const reseal = (row: SealedRow): (Buffer | null)[] | undefined => {
    const { tenant, id } = row;
    let isResealed = false;
    let isReadable = true;
    const values = contexts.map(([column, contextOf]) => {
      const sealed = row[column] as Buffer | null;
      if (sealed === null || secretBox.isCurrent(sealed)) return sealed;
      const context = contextOf(tenant, id);
      try {
        const resealed = secretBox.seal(secretBox.open(sealed, context), context);
        isResealed = true;
        return resealed;
      } catch (error) {
        isReadable = false;
        counts.unreadable.push({ id, column, reason: toAppError(error).message });
        return sealed;
      }
    });
    if (isResealed) counts.resealed += 1;
    else if (isReadable) counts.current += 1;
    return isResealed ? values : undefined;
  };

  for (let last: SealedRow | undefined, more = true; more;) {
    const rows = await postgres.transaction(async (tx) => {
      const batch = await tx.query<SealedRow>(
        `SELECT tenant, id, ${columns.join(', ')} FROM ${table}
          WHERE (tenant, id) > ($1, $2) AND NOT buried
          ORDER BY tenant, id
          LIMIT ${batchSize}
          ${dryRun ? '' : 'FOR UPDATE'}`,
        [last?.tenant ?? '', last?.id ?? ''],
      );
      for (const row of batch) {
        const values = reseal(row);
        if (values === undefined || dryRun) continue;
        const assignments = columns.map((column, index) => `${column} = $${index + 3}`);
        await tx.query(`UPDATE ${table} SET ${assignments.join(', ')} WHERE tenant = $1 AND id = $2`, [
          row.tenant,
          row.id,
          ...values,
        ]);
      }
      return batch;
    });
    last = rows.at(-1);
    more = rows.length === batchSize;
  }
  return counts;
}

interface SealedRow {
  tenant: string;
  id: string;
  [column: string]: unknown;
}

function describe(table: string, { current, resealed, unreadable }: Counts, dryRun: boolean): string {
  const line = `${table.padEnd(9)}  ${resealed} ${dryRun ? 'to reseal' : 'resealed'}, ${current} under the first key already`;
  const worse = unreadable.map(({ id, column, reason }) => `  ${id}: ${column} can't be opened: ${reason}`);
  return [line, ...worse].join('\n');
}
