import { connect, createServer } from 'node:net';
import { StackError } from '../failure.ts';
import { portHolder } from './port-holder.ts';
import type { ProcessMode } from './process-mode.ts';

/** The order in which an event passes them; the console shows it. */
export const serviceNames = ['ingress', 'dedup', 'dispatcher', 'projector', 'api', 'console'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Every port of the local stack: what listens on it, by name. Redis, Postgres and the registry keep off the usual ports of a system's own. */
export const portsAt = (offset: number) => ({
  kafka: 9092 + offset,
  kafkaController: 9093 + offset,
  redis: 16_379 + offset,
  postgres: 15_432 + offset,
  registry: 18_080 + offset,
  ingress: 8080 + offset,
  api: 8081 + offset,
  console: 8082 + offset,
  smokeReceiver: 8090 + offset,
  demoReceiver: 8091 + offset,
  admin: {
    ingress: 9080 + offset,
    api: 9081 + offset,
    dedup: 9082 + offset,
    dispatcher: 9083 + offset,
    projector: 9084 + offset,
    console: 9085 + offset,
  } satisfies Record<ServiceName, number>,
});

export type StackPorts = ReturnType<typeof portsAt>;

/** The ports that each process of the stack listens on. */
export const portsByProcess = (ports: StackPorts, mode: ProcessMode): Readonly<Record<string, readonly number[]>> => ({
  kafka: [ports.kafka, ports.kafkaController],
  redis: [ports.redis],
  postgres: [ports.postgres],
  registry: [ports.registry],
  ...(mode === 'one'
    ? { serve: [ports.ingress, ports.api, ports.console, ...Object.values(ports.admin)] }
    : {
        ingress: [ports.ingress, ports.admin.ingress],
        dedup: [ports.admin.dedup],
        dispatcher: [ports.admin.dispatcher],
        projector: [ports.admin.projector],
        api: [ports.api, ports.admin.api],
        console: [ports.console, ports.admin.console],
      }),
});

/** The servers and the services, in any arrangement of processes. */
export const stackPartNames: readonly string[] = Object.keys(portsByProcess(portsAt(0), 'separate'));

/** @throws StackError with one line for each port that another process listens on */
export async function assertFree(wanted: readonly { process: string; port: number }[]): Promise<void> {
  const taken = await Promise.all(
    wanted.map(async ({ process, port }) => {
      if (!(await isTaken(port))) return [];
      const holder = await portHolder(port);
      return [`port ${port} (${process}) is taken${holder === undefined ? '' : ` by ${holder}`}`];
    }),
  );
  const lines = taken.flat();
  if (lines.length > 0)
    throw new StackError(
      `${lines.join('\n')}\nEnd what holds it, or move all ports: HOOKLINE_PORT_OFFSET=1000 make up`,
    );
}

/** Listening alone does not tell on every system: some let a second one listen on 127.0.0.1 beside one on all addresses. */
async function isTaken(port: number): Promise<boolean> {
  return (await accepts(port)) || !(await canListen(port));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('connect', () => end(true));
  });
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}
