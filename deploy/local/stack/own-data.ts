import { createPostgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import type { Compose } from '../../docker/compose.ts';
import { errorCode, StackError } from '../failure.ts';

/** Postgres' own code of a wrong password. */
const invalidPassword = '28P01';
const answerTimeoutMs = 5_000;

type ProjectData = Pick<Compose, 'project' | 'hasData' | 'running' | 'up' | 'remove'>;

/**
 * The engine keeps a project's data, whichever checkout made it, and only that checkout's secrets can read it. Postgres tells whether ours fit,
 * because it keeps the password that it was made with. Called before any other container is started: one that runs with the right secrets must
 * not be replaced by one with ours.
 *
 * @throws StackError where the data was made with other secrets; what ran before runs on, nothing else does
 */
export async function assertOwnData(compose: ProjectData, databaseUrl: string): Promise<void> {
  if (!(await compose.hasData())) return;
  const isOurStart = !compose.running().includes('postgres');
  if (isOurStart) await compose.up('postgres');
  if (await acceptsPassword(databaseUrl)) return;
  if (isOurStart) await compose.remove('postgres');
  throw new StackError(
    `the volumes of the project ${compose.project} hold data that was made with other secrets than those of this checkout's .hookline/: ` +
      'by another checkout, or by this one before .hookline/ was removed\n' +
      'Start it from there, or start another project, with data of its own, by another HOOKLINE_PORT_OFFSET. ' +
      'make clean removes the volumes with their data',
  );
}

/** True also where Postgres gives no answer about it: whoever needs it next says why. */
async function acceptsPassword(url: string): Promise<boolean> {
  const postgres = createPostgres({
    url,
    applicationName: 'hookline-up',
    maxConnections: 1,
    statementTimeoutMs: answerTimeoutMs,
    log: silentLogger,
  });
  try {
    await postgres.start();
    await postgres.query('SELECT 1');
    return true;
  } catch (error) {
    return errorCode((error as Error).cause) !== invalidPassword;
  } finally {
    await postgres.stop();
  }
}
