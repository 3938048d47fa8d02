import { topicsOf } from '#lib/contract';
import { askPostgres } from '../support/with-database.ts';
import { connectKafkaOffsets } from '../support/kafka-offsets.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from '../support/pipeline.ts';
import { createDatabase, serverAddresses, sessionTimeoutOfTests, uniquePrefix } from '../support/servers.ts';

export interface OwnPipeline extends Pipeline {
  /** Runs a part of the test; a failure says what the services logged last, and where its records and rows are kept. */
  explain<T>(work: () => Promise<T>): Promise<T>;
  /** Stops the services, and removes topics and database unless something failed. */
  close(): Promise<void>;
}

/**
 * Each pipeline takes the next of its jest worker's own databases of Redis (deploy/local/servers/redis.ts has how many there are), and never the
 * first: what is flushed there is this pipeline's, unless a second run of the suite shares the server.
 */
const databasesOfWorker = 16;
const workers = 15;
const worker = (Number(process.env.JEST_WORKER_ID ?? 1) - 1) % workers;
let taken = 0;
const takeRedisDatabase = (): number => 1 + worker * databasesOfWorker + (taken++ % databasesOfWorker);

/** A pipeline that shares nothing with any other but the servers. */
export async function startOwnPipeline(options: Partial<PipelineOptions> = {}): Promise<OwnPipeline> {
  const servers = serverAddresses();
  const topicPrefix = uniquePrefix('e2e');
  const databaseUrl = await createDatabase();
  const pipeline = await createPipeline({
    servers: { ...servers, redisUrl: `${servers.redisUrl}/${takeRedisDatabase()}` },
    topicPrefix,
    databaseUrl,
    sessionTimeoutMs: sessionTimeoutOfTests,
    ...options,
  });
  let failed = false;
  const explain: OwnPipeline['explain'] = async (work) => {
    try {
      const result = await work();
      pipeline.assertNoSurprise();
      return result;
    } catch (error) {
      failed = true;
      const failure = error instanceof Error ? error : new Error(String(error));
      failure.message = `${failure.message}\n${pipeline.describe()}`;
      throw failure;
    }
  };
  const close = async (): Promise<void> => {
    await pipeline.stop();
    if (!failed) await remove(servers, topicPrefix, databaseUrl);
  };
  const own = { ...pipeline, explain, close };
  await explain(() => pipeline.start()).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return own;
}

async function remove(
  servers: { kafkaBrokers: readonly string[]; databaseUrl: string },
  topicPrefix: string,
  databaseUrl: string,
): Promise<void> {
  const kafka = await connectKafkaOffsets(servers.kafkaBrokers);
  // oxlint-disable-next-line typescript/no-misused-promises
  await kafka.deleteTopics(Object.values(topicsOf(topicPrefix))).finally(() => kafka.close());
  await askPostgres(servers.databaseUrl, `DROP DATABASE ${new URL(databaseUrl).pathname.slice(1)} WITH (FORCE)`);
}
