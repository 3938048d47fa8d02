/** The stack of docker-compose.yml, on this machine's engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeKeyValueFile } from '../local/key-value-file.ts';
import { hooklineDir, root } from '../local/paths.ts';
import type { StackPorts } from '../local/stack/ports.ts';
import type { ProcessMode } from '../local/stack/process-mode.ts';
import type { StackSecrets } from '../local/stack/secrets.ts';
import { composeEnvironment } from './compose-environment.ts';
import { assertObtainable, docker, dockerSync, missingImages, showDocker } from './engine.ts';

export interface Compose {
  /** The project's name: its containers and volumes have it. */
  project: string;
  /** Writes what the file asks for, and has all images here. @throws StackError naming the one that is not to be had */
  provide(ports: StackPorts, secrets: StackSecrets, say: (line: string) => void): Promise<void>;
  /** Whether the engine keeps a database of the project. */
  hasData(): Promise<boolean>;
  /** Starts all containers, or the named ones alone. Resolves when they are healthy. */
  up(...names: string[]): Promise<void>;
  /** @param clean with their data */
  down(clean: boolean): Promise<void>;
  /** Stops and removes the container, not its data. */
  remove(name: string): Promise<void>;
  /** Runs a program in the container; resolves with its output. */
  run(name: string, command: readonly string[]): Promise<string>;
  /** The pid of the container's first process; undefined if it does not run. */
  pid(name: string): number | undefined;
  running(): string[];
  lastLogLines(name: string, count: number): string[];
  showLogs(options: { names: readonly string[]; count: number; follow: boolean }): Promise<void>;
}

const envFile = join(hooklineDir, 'compose.env');
const dockerfile = join(root, 'deploy/docker/Dockerfile');
const upTimeoutSeconds = 300;
/** Above the services' own limit for their shutdown. */
const stopTimeoutSeconds = 30;
/** Asking takes a tenth of a second. */
const knownForMs = 1_000;
const builtHere = /^hookline:/;
const projectLabel = 'com.docker.compose.project';
const serviceLabel = 'com.docker.compose.service';
const volumeLabel = 'com.docker.compose.volume';

/**
 * @param offset of its ports: stacks on different ports are different projects, with data of their own
 * @param mode the services' profile. Compose has not always read COMPOSE_PROFILES from a file that it is given
 */
export function createCompose(offset: number, mode: ProcessMode): Compose {
  const project = offset === 0 ? 'hookline' : `hookline-${offset}`;
  const compose = (...args: string[]): string[] => [
    ...['compose', '--project-name', project, '--project-directory', root, '--env-file', envFile],
    ...['--profile', mode],
    ...args,
  ];
  let known: { atMs: number; pids: ReadonlyMap<string, number> } | undefined;

  const pids = (): ReadonlyMap<string, number> => {
    if (known === undefined || performance.now() - known.atMs > knownForMs)
      known = { atMs: performance.now(), pids: pidsOf(project) };
    return known.pids;
  };

  return {
    project,
    async provide(ports, secrets, say) {
      writeKeyValueFile(envFile, composeEnvironment(ports, secrets, offset));
      const images = (await docker(compose('config', '--images'))).split('\n').filter((image) => image !== '');
      const missing = await missingImages([...images.filter((image) => !builtHere.test(image)), baseImage()]);
      for (const image of missing) await assertObtainable(image);
      for (const image of missing) {
        say(`getting ${image}`);
        await showDocker(['pull', '--quiet', image]);
      }
      say('building the image');
      await docker(compose('build', '--quiet'), buildTimeoutMs);
    },
    async hasData() {
      const labels = [`label=${projectLabel}=${project}`, `label=${volumeLabel}=postgres`];
      return (await docker(['volume', 'ls', '--quiet', ...labels.flatMap((label) => ['--filter', label])])) !== '';
    },
    async up(...names) {
      await showDocker(
        compose(
          'up',
          '--detach',
          '--wait',
          '--wait-timeout',
          String(upTimeoutSeconds),
          '--remove-orphans',
          '--quiet-pull',
          ...names,
        ),
      );
      known = undefined;
    },
    async down(clean) {
      if (!existsSync(envFile)) return;
      await showDocker(compose('down', '--timeout', String(stopTimeoutSeconds), ...(clean ? ['--volumes'] : [])));
    },
    async remove(name) {
      await showDocker(compose('rm', '--stop', '--force', name));
      known = undefined;
    },
    run: (name, command) => docker(compose('exec', '-T', name, ...command)),
    pid: (name) => pids().get(name),
    running: () => [...pids().keys()],
    lastLogLines: (name, count) =>
      dockerSync(compose('logs', '--no-log-prefix', '--tail', String(count), name))
        .trimEnd()
        .split('\n'),
    showLogs: ({ names, count, follow }) =>
      showDocker(compose('logs', '--tail', String(count), ...(follow ? ['--follow'] : []), ...names)),
  };
}

const buildTimeoutMs = 15 * 60_000;

/** The image's base image. */
const baseImage = (): string => /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(dockerfile, 'utf8'))?.[1] ?? '';

function pidsOf(project: string): Map<string, number> {
  const filter = `label=${projectLabel}=${project}`;
  const ids = dockerSync(['ps', '--quiet', '--filter', filter]).split('\n').filter(Boolean);
  if (ids.length === 0) return new Map();
  const format = `{{index .Config.Labels "${serviceLabel}"}} {{.State.Pid}}`;
  return new Map(
    dockerSync(['inspect', '--format', format, ...ids])
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', pid] = line.split(' ');
        return [name, Number(pid)];
      }),
  );
}
