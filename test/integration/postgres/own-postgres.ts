import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { provideTools } from '#deploy/local/install/install.ts';
import { pgbouncer, postgresServer } from '#deploy/local/install/tools.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { createPostgres } from '#deploy/local/servers/postgres.ts';
import { removePostgresHome } from '#deploy/local/servers/postgres-home.ts';
import { asUser, postgresUser } from '#deploy/local/servers/run-as.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { startOrphanReaper } from '../../support/orphan-reaper.ts';
import { waitUntil } from '../../support/wait-until.ts';

type PoolMode = 'session' | 'transaction' | 'statement';

interface OwnPostgres {
  port: number;
  /** The password of the superuser hookline. */
  password: string;
  /** For programs that come with the server. */
  bin: string;
  dir: string;
  stop(): Promise<void>;
  /** PgBouncer in front of it, for user hookline and database hookline. @returns its port, and its end */
  startPooler(mode: PoolMode, settings?: Readonly<Record<string, string>>, port?: number): Promise<Pooler>;
}

interface Pooler {
  port: number;
  stop(): Promise<void>;
}

/** A Postgres of the test's own, whose connections may be encrypted. */
export async function startOwnPostgres(certificate?: { key: string; cert: string }): Promise<OwnPostgres> {
  const say = (line: string): void => console.error(line);
  const programs = await provideTools({ postgresServer, pgbouncer }, say);
  const dir = mkdtempSync(join(tmpdir(), 'hookline-postgres-'));
  chmodSync(dir, 0o755);
  const user = postgresUser();
  /** Only the server's user may read it. */
  const secretFile = (name: string, text: string): string => {
    const file = join(dir, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (user !== undefined) chownSync(file, user.uid, user.gid);
    return file;
  };
  const [port = 0] = await freePorts(1);
  const password = 'a "password" with; odd=characters';
  const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
  const reaper = startOrphanReaper();
  const watched = (name: string): void => reaper.watch(processes.pid(name) ?? 0);
  const postgres = createPostgres({
    dir,
    port,
    processes,
    bin: dirname(programs.postgresServer),
    password,
    runAs: user,
    durable: false,
    say,
    ...(certificate && {
      settings: {
        ssl: 'on',
        ssl_cert_file: secretFile('server.pem', certificate.cert),
        ssl_key_file: secretFile('server-key.pem', certificate.key),
      },
    }),
  });
  await postgres.start();
  watched('postgres');
  const poolers = new Set<string>();

  return {
    port,
    password,
    bin: dirname(programs.postgresServer),
    dir,
    async startPooler(mode, settings = {}, at) {
      const listenPort = at ?? (await freePorts(1))[0] ?? 0;
      const name = `pgbouncer-${mode}-${listenPort}`;
      const quoted = password.replaceAll('"', '""');
      const options = {
        listen_addr: '127.0.0.1',
        listen_port: String(listenPort),
        unix_socket_dir: '',
        auth_type: 'scram-sha-256',
        auth_file: secretFile(`${name}.users`, `"hookline" "${quoted}"\n`),
        pool_mode: mode,
        default_pool_size: '8',
        ...settings,
      };
      const lines = Object.entries(options).map(([key, value]) => `${key} = ${value}`);
      const database = `hookline = host=127.0.0.1 port=${port} dbname=hookline`;
      const file = secretFile(`${name}.ini`, `[databases]\n${database}\n[pgbouncer]\n${lines.join('\n')}\n`);
      poolers.add(name);
      await processes.start({ name, ...asUser(user, programs.pgbouncer, [file]), cwd: dir });
      watched(name);
      await waitUntil('PgBouncer answers', () => answersAt(listenPort));
      return { port: listenPort, stop: () => processes.stop(name) };
    },
    async stop() {
      for (const name of poolers) await processes.stop(name);
      await postgres.kill();
      reaper.stop();
      removePostgresHome(dir);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Whether a connection can be opened. */
const answersAt = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.end());
  });
