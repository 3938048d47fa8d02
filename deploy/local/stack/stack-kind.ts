import { type Compose, createCompose } from '../../docker/compose.ts';
import { engineTrouble, firstLine } from '../../docker/engine.ts';
import { say } from '../command.ts';
import type { StackKind } from '../config.ts';
import { StackError } from '../failure.ts';
import type { StackPorts } from './ports.ts';
import { keptProcessMode } from './process-mode.ts';
import type { StackSecrets } from './secrets.ts';
import { keptPortOffset, runningIn, stackProcesses } from './stack.ts';

/** The running parts of the stack, and whether they are containers or processes. */
export function runningStack(): { kind: StackKind; names: string[] } | undefined {
  const processes = runningIn(stackProcesses());
  if (processes.length > 0) return { kind: 'native', names: processes };
  const containers = containersRunning();
  return containers.length > 0 ? { kind: 'containers', names: containers } : undefined;
}

function containersRunning(): string[] {
  try {
    return createCompose(keptPortOffset() ?? 0, keptProcessMode()).running();
  } catch {
    // No engine, no containers.
    return [];
  }
}

interface Choice {
  running: { kind: StackKind } | undefined;
  chosen: StackKind | undefined;
  /** Why containers can't be started; called only if it matters. */
  troubleOfContainers(): Promise<string | undefined>;
}

/**
 * Chooses containers if an engine answers and has their images or can get them; otherwise local processes, with the reason. A running stack
 * keeps its kind.
 *
 * @throws StackError if `STACK` demands another kind than the running or the possible one
 */
export async function decideKind({ running, chosen, troubleOfContainers }: Choice): Promise<{
  kind: StackKind;
  says: string;
}> {
  if (running !== undefined && chosen !== undefined && chosen !== running.kind)
    throw new StackError(`the stack runs as ${describeKind(running.kind)}; to change that: make down, then make up`);
  const wanted = running?.kind ?? chosen;
  const trouble = wanted === 'native' ? undefined : await troubleOfContainers();
  if (wanted !== undefined && trouble !== undefined) throw new StackError(trouble);
  const kind = trouble === undefined ? (wanted ?? 'containers') : 'native';
  return { kind, says: `${trouble === undefined ? '' : `${trouble}: `}starting Hookline as ${describeKind(kind)}` };
}

/** Provides the engine and all images if possible; otherwise returns what is missing. */
export async function troubleOf(
  compose: Compose,
  ports: StackPorts,
  secrets: StackSecrets,
): Promise<string | undefined> {
  const trouble = await engineTrouble();
  if (trouble !== undefined) return trouble;
  try {
    await compose.provide(ports, secrets, say);
    return undefined;
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    return `the images are not to be had (${firstLine(error)})`;
  }
}

const describeKind = (kind: StackKind): string =>
  kind === 'native' ? 'local processes (no containers)' : 'containers (docker-compose.yml)';
