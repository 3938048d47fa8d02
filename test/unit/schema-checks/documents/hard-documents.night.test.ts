/** Documents and schemas of every shape, by a seed: whatever becomes of one, it ends, and the next one has its turn. */
import { silentLogger, systemClock } from '#lib/runtime';
import { createDocumentJobs } from '#lib/schema-checks';
import { nominalMs } from '../../../support/nominal-time.ts';
import { hardDocument, hardKinds, hardSchema } from '../../../support/documents-generator/index.ts';
import { seededRandom, seedOf } from '../../../support/seeded-random.ts';

const seed = Number(process.env['HOOKLINE_TEST_SEED'] ?? 52);
const seconds = Number(process.env['HOOKLINE_TEST_DOCUMENT_SECONDS'] ?? 600);
/** This thread's processor time for a job: more than its longest turn. */
const mostOwnMs = 50;
const mostHeapMegabytes = 200;

const jobs = createDocumentJobs({ clock: systemClock, log: silentLogger, limits: { tenantShare: 1 } });
beforeAll(() => jobs.start());
afterAll(() => jobs.stop());

test.each(hardKinds)(
  'whatever is %s ends within its limits',
  async (kind) => {
    const random = seededRandom(seedOf(seed, kind));
    const untilMs = performance.now() + (seconds * 1_000) / hardKinds.length;
    const heapBefore = process.memoryUsage().heapUsed;
    for (let turn = 0; performance.now() < untilMs; turn += 1) {
      const bytes = new TextEncoder().encode(JSON.stringify({ document: hardDocument(kind, random) }));
      const [schema, before] = [hardSchema(kind, random), hardSchema(kind, random)].map((one) => JSON.stringify(one));
      const draft = { schema: schema ?? '', example: undefined, before: { schema: before ?? '', example: 'null' } };
      for (const job of [
        () => jobs.readDocument(bytes, 'document', { tenant: kind }),
        () => jobs.prepare(draft, { tenant: kind }),
      ]) {
        const own = process.threadCpuUsage();
        await job();
        const { user, system } = process.threadCpuUsage(own);
        expect({
          seed,
          turn,
          tooMany: Math.max(0, nominalMs((user + system) / 1_000, { limitMs: mostOwnMs }) - mostOwnMs),
        }).toMatchObject({ tooMany: 0 });
      }
    }
    expect((process.memoryUsage().heapUsed - heapBefore) / 1024 / 1024).toBeLessThan(mostHeapMegabytes);
    expect(await jobs.describe('true', { tenant: 'other' })).toMatchObject({ fields: [] });
  },
  (seconds + 120) * 1_000,
);
