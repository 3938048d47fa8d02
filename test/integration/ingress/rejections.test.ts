import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgres, type Postgres } from '#lib/postgres';
import { createId, formatMicros, silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createIngressMetrics } from '../../../services/ingress/metrics.ts';
import { createRejectionLog, type RejectionLog } from '../../../services/ingress/rejections/rejection-log.ts';
import {
  type Rejection,
  type RejectionRow,
  toRejectionRow,
} from '../../../services/ingress/rejections/rejection-row.ts';
import { createRejectionTable, type RejectionTable } from '../../../services/ingress/rejections/rejection-table.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { authority, client, type KeyPair, server } from '../../unit/ingress/certificates.ts';
import { rejectionOf } from '../../unit/ingress/rejections.ts';
import { type Ingress, insertSource, startIngress } from './ingress-process.ts';
const dayMs = 86_400_000;

let databaseUrl: string;
let postgres: Postgres;
let table: RejectionTable;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 4,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  await postgres.start();
  table = createRejectionTable(postgres);
});
afterAll(() => postgres?.stop());
beforeEach(() => postgres.query('TRUNCATE rejections'));

const rejectionAt = (atMs: number, given: Partial<Rejection> = {}): Rejection =>
  rejectionOf({ atMs, id: createId('rej', atMs), ...given });
const rowAt = (atMs: number, given?: Partial<Rejection>): RejectionRow => toRejectionRow(rejectionAt(atMs, given));

interface Kept {
  tenant: string;
  source_id: string;
  id: string;
  at: string;
  code: string;
  client_address: string;
  headers: Record<string, string>;
  body_bytes: string | null;
  body: Buffer | null;
}
const kept = (): Promise<Kept[]> => postgres.query<Kept>('SELECT * FROM rejections ORDER BY id');
const keptIds = async (): Promise<string[]> => (await kept()).map(({ id }) => id);

describe('the table of rejections', () => {
  test('has what was seen, whatever bytes that has', async () => {
    const body = Buffer.from([0, 255, 92, 120, 34, 39, 123, 125, 44]);
    const strange = rejectionAt(Date.UTC(2026, 0, 1), {
      clientAddress: 'not\0an {"address"},\\',
      rawHeaders: ['X-Strange', '\0\ud800 "quoted" {a,b} \\u0000 NULL é', 'Cookie', 'session=1', '', ''],
      bodyBytes: 5_000_000_000,
      bodyBeginning: body,
    });
    const plain = rejectionAt(Date.UTC(2026, 0, 2), { tenant: 'other', sourceId: 'src_2' });
    await table.insert([strange, plain].map(toRejectionRow));
    expect(await kept()).toEqual([
      {
        tenant: 'acme',
        source_id: 'src_1',
        id: strange.id,
        at: formatMicros(strange.atMs * 1000),
        code: 'signature_invalid',
        client_address: 'not\uFFFDan {"address"},\\',
        headers: { 'x-strange': '\uFFFD\uFFFD "quoted" {a,b} \\u0000 NULL é', cookie: '[redacted]', '': '' },
        body_bytes: '5000000000',
        body,
      },
      expect.objectContaining({ tenant: 'other', source_id: 'src_2', headers: {}, body_bytes: null, body: null }),
    ]);
  });

  test('has each once, however often it is written', async () => {
    const rows = [rowAt(1), rowAt(2)];
    await table.insert(rows);
    await table.insert([...rows, rowAt(3)]);
    expect(await kept()).toHaveLength(3);
  });

  test('keeps the last ones of the sources that are trimmed, and all of the others', async () => {
    const rowsOf = (sourceId: string, count: number): RejectionRow[] =>
      Array.from({ length: count }, (_, index) => rowAt(index * 1000, { sourceId }));
    const [many, few, untouched] = [rowsOf('src_many', 30), rowsOf('src_few', 5), rowsOf('src_untouched', 30)];
    await table.insert([...many, ...few, ...untouched]);
    await table.trim([...many, ...few], 10);
    const expected = [...many.slice(20), ...few, ...untouched].map(({ id }) => id);
    expect(new Set(await keptIds())).toEqual(new Set(expected));
  });

  test('is trimmed by several processes at once without any of them waiting for another', async () => {
    const sources = Array.from({ length: 20 }, (_, index) => `src_${index}`);
    const rows = sources.flatMap((sourceId) => Array.from({ length: 30 }, (_, at) => rowAt(at * 1000, { sourceId })));
    await table.insert(rows);
    const shuffled = [rows, rows.toReversed(), rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)), rows];
    await Promise.all(shuffled.map((order) => table.trim(order, 10)));
    expect(await kept()).toHaveLength(200);
  });

  test('loses what is older than the retention, in portions', async () => {
    const nowMs = Date.now();
    const old = Array.from({ length: 1_500 }, () => rowAt(nowMs - 8 * dayMs));
    const recent = rowAt(nowMs - 6 * dayMs);
    await table.insert([...old, recent]);
    expect(await table.sweep(7)).toBe(true);
    expect(await table.sweep(7)).toBe(false);
    expect(await keptIds()).toEqual([recent.id]);
  });
});

describe('the log of rejections over a database', () => {
  let rejections: RejectionLog;
  let metrics: Metrics;
  const start = async (given: RejectionTable = table): Promise<void> => {
    metrics = new Metrics();
    rejections = createRejectionLog({
      table: given,
      retentionDays: 7,
      clock: systemClock,
      log: silentLogger,
      metrics: createIngressMetrics(metrics, { records: () => 0, maxRecords: 0 }),
    });
    await rejections.start();
  };
  afterEach(() => rejections.stop());

  test('of a flood has a few a second, and never more than a hundred of a source', async () => {
    await start();
    const old = Array.from({ length: 120 }, (_, index) => rowAt(Date.now() - 60_000 + index, { sourceId: 'src_1' }));
    await table.insert(old);
    for (let index = 0; index < 50_000; index += 1) rejections.record(rejectionAt(Date.now()));
    const newest = rejectionAt(Date.now() + 1);
    rejections.record(newest);
    await waitUntil('the last one is written', async () => (await keptIds()).includes(newest.id));
    await waitUntil('the table is trimmed', async () => (await keptIds()).length === 100);
    expect((await keptIds()).filter((id) => old.every((row) => row.id !== id))).toHaveLength(5);
  });

  test('has the newest after the database was away', async () => {
    let isAway = true;
    const away = createPostgres({
      url: 'postgres://127.0.0.1:1/none',
      applicationName: 'hookline-test',
      maxConnections: 1,
      statementTimeoutMs: 1_000,
      log: silentLogger,
    });
    const unreachable = createRejectionTable(away);
    let refused = 0;
    await start({
      ...table,
      insert: async (rows) => {
        if (!isAway) return table.insert(rows);
        await unreachable.insert(rows).catch((error: unknown) => {
          refused += 1;
          throw error;
        });
      },
    });
    const ids = Array.from({ length: 7 }, (_, index) => {
      const rejection = rejectionAt(Date.now() + index);
      rejections.record(rejection);
      return rejection.id;
    });
    await waitUntil('a writing has failed', () => refused > 0);
    isAway = false;
    await waitUntil('they are written', async () => (await kept()).length > 0);
    expect(await keptIds()).toEqual(ids.slice(2));
    await away.stop();
  });
});

describe('the whole ingress, by HTTPS', () => {
  let folder: string;
  let ingress: Ingress;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-tls-'));
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    ingress = await startIngress({
      brokers: serverAddresses().kafkaBrokers,
      topicPrefix: uniquePrefix('rejections'),
      databaseUrl,
      env: {
        HOOKLINE_TRUSTED_PROXIES: '127.0.0.1',
        HOOKLINE_TLS_CERT_FILE: write('cert.pem', server.cert),
        HOOKLINE_TLS_KEY_FILE: write('key.pem', server.key),
        HOOKLINE_TLS_CLIENT_CA_FILE: write('ca.pem', authority),
        HOOKLINE_TLS_CLIENT_CERTIFICATES: 'optional',
      },
    });
  });
  afterAll(async () => {
    await ingress?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (sourceId: string, shown: Partial<KeyPair>): Promise<number> =>
    new Promise((resolve, reject) => {
      const outgoing = request(`${ingress.url.replace('http:', 'https:')}/v1/webhooks/${sourceId}`, {
        method: 'POST',
        headers: { 'x-forwarded-for': '192.0.2.7', 'x-api-key': 'hunter2' },
        agent: false,
        ca: authority,
        servername: 'ingress.test',
        ...shown,
      });
      outgoing.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)));
      outgoing.on('error', reject);
      outgoing.end('{}');
    });

  test('shows the owner of a source who was refused, from where, and why', async () => {
    const source = await insertSource(postgres, {
      settings: { allowed_ips: ['192.0.2.0/24'], client_certificate: { required: true } },
    });
    expect(await post(source.id, {})).toBe(403);
    expect(await post(source.id, client)).toBe(401);
    await waitUntil('both are written', async () => (await kept()).length === 2);
    const facts = { tenant: 'acme', source_id: source.id, client_address: '192.0.2.7', body_bytes: '2', body: null };
    const headers = expect.objectContaining({ 'x-api-key': '[redacted]', 'x-forwarded-for': '192.0.2.7' }) as object;
    expect(await kept()).toEqual([
      expect.objectContaining({ ...facts, headers, code: 'client_certificate_required' }),
      expect.objectContaining({ ...facts, headers, code: 'signature_missing' }),
    ]);
  });
});
