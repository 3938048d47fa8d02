import { rmSync, writeFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fewArenas, fewWakeUps, quickStart, runJava } from '../install/java.ts';
import type { Processes } from '../processes/processes.ts';
import { ready } from '../processes/ready.ts';
import { fetchMetadata } from './kafka-protocol.ts';

export interface Broker {
  id: number;
  port: number;
  controllerPort: number;
  /** Besides: for clients that are to come by another way, such as a proxy. */
  listeners?: readonly Listener[];
}

/** Clients of a listener connect to the advertised port, to this broker and to all others with a listener of the same name. */
interface Listener {
  /** In capitals. */
  name: string;
  port: number;
  advertisedPort: number;
}

export interface KafkaOptions {
  /** Contains one data folder per broker. */
  dir: string;
  /** One, or three for a cluster that outlives the loss of one. Each process is broker and controller. */
  brokers: readonly Broker[];
  processes: Processes;
  /** The program, version 17 or later. */
  java: string;
  /** The folder of Kafka's jars. */
  jars: string;
  /** Starts with half the CPU time, and never gets as fast. For tests. */
  shortLived?: boolean;
  /** Broker settings that override the defaults here, by Kafka's names. */
  settings?: Readonly<Record<string, string>>;
  /** SCRAM users from the first start on, as its format takes them: `SCRAM-SHA-512=[name=…,password=…]`. */
  scramUsers?: readonly string[];
}

export interface Kafka {
  /** host:port of each broker */
  bootstrap: string[];
  /** Starts the brokers that do not run. Resolves once every broker knows all of them to be up. */
  start(): Promise<void>;
  /** Starts the brokers that do not run; ready is another matter. */
  launch(): Promise<void>;
  /** Ends all of them, cleanly, at the same time. */
  stop(): Promise<void>;
  /** Starts one broker and waits until it is part of the cluster again. */
  startBroker(id: number): Promise<void>;
  /** Ends one broker cleanly: its leaderships move first. */
  stopBroker(id: number): Promise<void>;
  /** `SIGKILL` by default. Resolves once the process is gone, or for SIGSTOP and SIGCONT at once. */
  kill(id: number, signal?: NodeJS.Signals): Promise<void>;
  pid(id: number): number | undefined;
  /** True where every broker knows all of them to be up. */
  healthy(): Promise<boolean>;
}

// Format of the storage once, then the start itself, on a machine that does other things as well.
const startTimeoutMs = 300_000;
// Any constant works: the ports tell clusters apart.
const clusterId = 'SG9va2xpbmVMb2NhbFN0aw';

export function createKafka({
  dir,
  brokers,
  processes,
  java,
  jars,
  shortLived = false,
  settings = {},
  scramUsers = [],
}: KafkaOptions): Kafka {
  const nameOf = (broker: Broker): string => (brokers.length === 1 ? 'kafka' : `kafka-${broker.id}`);
  const homeOf = (broker: Broker): string => join(dir, nameOf(broker));
  const brokerOf = (id: number): Broker => {
    const broker = brokers.find((candidate) => candidate.id === id);
    if (broker === undefined) throw new Error(`no broker ${id} in this cluster`);
    return broker;
  };
  const classpath = join(jars, '*');

  /** Writes the properties: the ports may have changed. */
  function writeProperties(broker: Broker): { file: string; text: string; data: string } {
    const data = join(homeOf(broker), 'data');
    const file = join(homeOf(broker), 'server.properties');
    const text = toProperties({ ...brokerSettings(broker, brokers, data), ...settings });
    mkdirSync(homeOf(broker), { recursive: true });
    writeFileSync(file, text);
    return { file, text, data };
  }

  async function format(broker: Broker, { file, data }: { file: string; data: string }): Promise<void> {
    const formatted = join(homeOf(broker), 'formatted');
    if (existsSync(formatted)) return;
    // A half-formatted folder would be taken for formatted.
    rmSync(data, { recursive: true, force: true });
    const storageTool = ['kafka.tools.StorageTool', 'format', '--cluster-id', clusterId, '--config', file];
    const users = scramUsers.flatMap((user) => ['--add-scram', user]);
    await runJava(java, ['-cp', classpath, ...quickStart, ...storageTool, ...users]);
    writeFileSync(formatted, `${clusterId}\n`);
  }

  async function launch(broker: Broker): Promise<void> {
    const properties = writeProperties(broker);
    await format(broker, properties);
    const options = [
      ...(shortLived ? quickStart : []),
      ...logging,
      ...fewWakeUps,
      '-Xms64m',
      '-Xmx512m',
      '-XX:+UseSerialGC',
    ];
    await processes.start({
      name: nameOf(broker),
      command: java,
      args: ['-cp', classpath, ...options, 'kafka.Kafka', properties.file],
      env: fewArenas,
      cwd: homeOf(broker),
      made: properties.text,
    });
  }

  const launchAll = async (): Promise<void> => void (await Promise.all(brokers.map(launch)));

  const knowsAllOf = async (broker: Broker, all: readonly Broker[]): Promise<true | undefined> => {
    const { brokerIds } = await fetchMetadata(broker.port);
    return all.every((other) => brokerIds.includes(other.id)) || undefined;
  };
  const becomesReady = (broker: Broker, all: readonly Broker[]): Promise<unknown> =>
    ready(processes, nameOf(broker), () => knowsAllOf(broker, all), startTimeoutMs);

  return {
    bootstrap: brokers.map((broker) => `127.0.0.1:${broker.port}`),
    launch: launchAll,
    async start() {
      await launchAll();
      await Promise.all(brokers.map((broker) => becomesReady(broker, brokers)));
    },
    async stop() {
      await Promise.all(brokers.map((broker) => processes.stop(nameOf(broker))));
    },
    async startBroker(id) {
      const broker = brokerOf(id);
      await launch(broker);
      await becomesReady(broker, [broker]);
    },
    stopBroker: (id) => processes.stop(nameOf(brokerOf(id))),
    async kill(id, signal = 'SIGKILL') {
      const name = nameOf(brokerOf(id));
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') processes.signal(name, signal);
      else await processes.stop(name, { signal });
    },
    pid: (id) => processes.pid(nameOf(brokerOf(id))),
    healthy: () =>
      Promise.all(brokers.map((broker) => knowsAllOf(broker, brokers))).then(
        (answers) => answers.every(Boolean),
        () => false,
      ),
  };
}

const logging = [
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS',
  '-Dorg.slf4j.simpleLogger.showThreadName=false',
];

function brokerSettings(broker: Broker, brokers: readonly Broker[], data: string): Record<string, string> {
  // Kafka's internal topics: on one broker nothing can be written with more than one replica.
  const replicas = String(Math.min(brokers.length, 3));
  const minInSync = brokers.length >= 3 ? '2' : '1';
  const { listeners = [] } = broker;
  const at = (name: string, port: number): string => `${name}://127.0.0.1:${port}`;
  return {
    'process.roles': 'broker,controller',
    'node.id': String(broker.id),
    'controller.quorum.voters': brokers.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(','),
    listeners: [
      at('PLAINTEXT', broker.port),
      at('CONTROLLER', broker.controllerPort),
      ...listeners.map(({ name, port }) => at(name, port)),
    ].join(','),
    'advertised.listeners': [
      at('PLAINTEXT', broker.port),
      ...listeners.map(({ name, advertisedPort }) => at(name, advertisedPort)),
    ].join(','),
    'listener.security.protocol.map': ['PLAINTEXT', 'CONTROLLER', ...listeners.map(({ name }) => name)]
      .map((name) => `${name}:PLAINTEXT`)
      .join(','),
    'inter.broker.listener.name': 'PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': minInSync,
    'unclean.leader.election.enable': 'false',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '8',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': minInSync,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': minInSync,
    'group.initial.rebalance.delay.ms': '0',
    // 6 s by default: tests wait for dead members no longer than they must.
    'group.min.session.timeout.ms': '1000',
    // A broker that was killed may register again only when its old session has ended (9 s by default).
    'broker.session.timeout.ms': '6000',
    'broker.heartbeat.interval.ms': '1000',
    // Twice a second by default the controller writes a record that says nothing, and all read it.
    'metadata.max.idle.interval.ms': '5000',
    'num.network.threads': '2',
    'num.io.threads': '4',
    // 128 MB of the heap by default.
    'log.cleaner.dedupe.buffer.size': '16777216',
  };
}

const toProperties = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
