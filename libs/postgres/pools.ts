import type { PostgresAccess } from './access.ts';
import { createPostgres, type Postgres, type PostgresOptions } from './postgres.ts';
import { createSessionVetting } from './vet-sessions.ts';

interface Process extends PostgresAccess, Pick<PostgresOptions, 'log' | 'metrics'> {
  /** The name of the process: each pool is named after it and its use. */
  name: string;
}

interface PoolSettings extends Omit<PostgresOptions, 'applicationName' | keyof Process> {
  /** The purpose of the pool; undefined for the main one of the process. */
  use?: string;
}

/** Opens the pools of one process, each with limits of its own. */
type OpenPool = (settings: PoolSettings) => Postgres;

export function createPools({ name, ...process }: Process): OpenPool {
  const vetting = createSessionVetting(process, name);
  return ({ use, ...settings }) =>
    createPostgres({
      ...process,
      ...settings,
      vetting,
      applicationName: use === undefined ? name : `${name}-${use}`,
    });
}

/** For `followTable`. Nobody waits for a page, which takes milliseconds: the limit is for a connection that is dead. */
export const directoryPool = { use: 'directory', maxConnections: 1, statementTimeoutMs: 30_000 } as const;
