import { secretsContext } from '#lib/contract';
import { toAppError } from '#lib/errors';
import { silentLogger } from '#lib/log';
import { createPostgres, type Postgres } from '#lib/postgres';
import { createSecretBox, parseEncryptionKeys, type SecretBox } from '#lib/secret-box';
import { loadResealConfig } from '../config.ts';
import { readOptions } from '../options.ts';
import { print } from '../output.ts';

export const help = `usage: hookline reseal-secrets [--dry-run]

Brings the secrets of all sources and endpoints, deleted ones too, under the first of HOOKLINE_ENCRYPTION_KEYS,
so that the others can be taken off the list. Safe beside running services, and to run again; what an earlier
run has done stays done.

  --dry-run            counts, and changes nothing
  --json               the counts as JSON

Exits 1 where a secret opens under no key of the list: that one keeps what it has.`;

const batchSize = 100;
const statementTimeoutMs = 30_000;

interface Counts {
  current: number;
  resealed: number;
  unreadable: { id: string; reason: string }[];
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { 'dry-run': { type: 'boolean', default: false } });
  const config = loadResealConfig();
  const secretBox = createSecretBox(parseEncryptionKeys(config.encryptionKeys));
  const postgres = createPostgres({
    url: config.databaseUrl,
    applicationName: 'hookline-reseal-secrets',
    maxConnections: 1,
    statementTimeoutMs,
    log: silentLogger,
  });
  const dryRun = values['dry-run'];
  await postgres.start();
  try {
    const sources = await resealTable('sources', { postgres, secretBox, dryRun });
    const endpoints = await resealTable('endpoints', { postgres, secretBox, dryRun });
    print({ dry_run: dryRun, sources, endpoints }, values.json, () =>
      [describe('sources', sources, dryRun), describe('endpoints', endpoints, dryRun)].join('\n'),
    );
    return sources.unreadable.length + endpoints.unreadable.length === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
  }
}

interface Options {
  postgres: Postgres;
  secretBox: SecretBox;
  dryRun: boolean;
}

/**
 * From the first row to the last, a batch a transaction. The rows are locked meanwhile: what somebody rotates at this moment is resealed as
 * it then is, and never put back. `changed_at` stays: nothing that is in force changes.
 */
async function resealTable(table: 'sources' | 'endpoints', { postgres, secretBox, dryRun }: Options): Promise<Counts> {
  const counts: Counts = { current: 0, resealed: 0, unreadable: [] };

  const reseal = ({ tenant, id, secrets }: SealedRow): Buffer | undefined => {
    if (secretBox.isCurrent(secrets)) {
      counts.current += 1;
      return undefined;
    }
    const context = secretsContext(table, tenant, id);
    try {
      const sealed = secretBox.seal(secretBox.open(secrets, context), context);
      counts.resealed += 1;
      return sealed;
    } catch (error) {
      counts.unreadable.push({ id, reason: toAppError(error).message });
      return undefined;
    }
  };

  for (let last: SealedRow | undefined, more = true; more;) {
    const rows = await postgres.transaction(async (tx) => {
      const batch = await tx.query<SealedRow>(
        `SELECT tenant, id, secrets FROM ${table}
          WHERE (tenant, id) > ($1, $2)
          ORDER BY tenant, id
          LIMIT ${batchSize}
          ${dryRun ? '' : 'FOR UPDATE'}`,
        [last?.tenant ?? '', last?.id ?? ''],
      );
      for (const row of batch) {
        const sealed = reseal(row);
        if (sealed === undefined || dryRun) continue;
        await tx.query(`UPDATE ${table} SET secrets = $3 WHERE tenant = $1 AND id = $2`, [row.tenant, row.id, sealed]);
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
  secrets: Buffer;
}

function describe(table: string, { current, resealed, unreadable }: Counts, dryRun: boolean): string {
  const line = `${table.padEnd(9)}  ${resealed} ${dryRun ? 'to reseal' : 'resealed'}, ${current} under the first key already`;
  const worse = unreadable.map(({ id, reason }) => `  ${id} can't be opened: ${reason}`);
  return [line, ...worse].join('\n');
}
