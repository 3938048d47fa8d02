/**
 * Sends ten times the capacity of the ingress for a while, and checks: every 2xx is durable, every answer is in time, memory stays flat.
 * The capacity is measured first, with senders that wait for their answers.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApiClient } from '../../support/api-client.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { judge, type MemoryRule } from './judge.ts';
import { type LoadJob, type LoadReport, type LoadSource, runLoad } from '../../support/load/load.ts';
import { receiptsOnTopic } from '../../support/receipts-on-topic.ts';
import { type MemorySamples, watchMemory } from './memory.ts';

export interface OverloadOptions {
  pipeline: Pipeline;
  /** How many times what it can do. */
  factor: number;
  seconds: number;
  /** Sender processes. */
  senders: number;
  /** Connections of all senders together. */
  connections: number;
  bodyBytes: number;
  toleranceMs: number;
  memoryRule: MemoryRule;
  say: (line: string) => void;
}

export interface OverloadResult {
  /** The rate of the senders against a bare server: they can offer no more. */
  senderLimitPerSecond: number;
  toleranceMs: number;
  memoryRule: MemoryRule;
  sustainedPerSecond: number;
  offeredPerSecond: number;
  load: LoadReport;
  memory: MemorySamples;
  onTopic: number;
  repeated: number;
  violations: string[];
}

const sourceCount = 8;
const limit = { per_second: 20, burst: 40 };
const warmUpSeconds = 5;
const warmUpConnections = 64;
const senderLimitSeconds = 3;

export async function overload(options: OverloadOptions): Promise<OverloadResult> {
  const { pipeline, seconds, toleranceMs, memoryRule, say } = options;
  const { stack } = pipeline;
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const sources: LoadSource[] = [];
  for (let each = 0; each < sourceCount; each += 1) {
    const settings = each === 0 ? { rate_limit: limit } : {};
    sources.push(await api.createSource({ name: `overload ${each}`, scheme: 'hookline', ...settings }));
  }
  const [limited, ...free] = sources;
  if (limited === undefined) throw new Error('there are no sources');

  const senderLimitPerSecond = await findSenderLimit(options, sources);
  say(
    `senders: ${options.senders} processes, at most ${senderLimitPerSecond} requests per second against a bare server`,
  );

  const warmUp = await runLoad(
    jobsOf(options, {
      name: 'warm-up',
      ingressUrl: stack.ingressUrl,
      sources: free,
      perSecond: undefined,
      seconds: warmUpSeconds,
      connections: warmUpConnections,
    }),
  );
  const sustainedPerSecond = Math.round((warmUp.answers['202'] ?? 0) / warmUp.seconds);
  const offeredPerSecond = sustainedPerSecond * options.factor;
  say(
    `sustained: ${sustainedPerSecond} accepted per second; offered from now on: ${offeredPerSecond} for ${seconds} s`,
  );

  const watch = watchMemory(pipeline.processIds());
  const load = await runLoad(
    jobsOf(options, {
      name: 'overload',
      ingressUrl: stack.ingressUrl,
      sources,
      perSecond: offeredPerSecond,
      seconds,
      connections: options.connections,
    }),
  );
  const memory = watch.stop();
  say('reading the topic');
  const onTopic = await receiptsOnTopic(stack);
  // The rate's own tolerance: one answer's time, and the senders' last requests.
  const mostAccepted = { [limited.id]: Math.ceil(limit.burst + limit.per_second * (load.seconds + 2)) };
  const records = [...onTopic.values()].reduce((sum, times) => sum + times, 0);
  return {
    senderLimitPerSecond,
    toleranceMs,
    memoryRule,
    sustainedPerSecond,
    offeredPerSecond,
    load,
    memory,
    onTopic: onTopic.size,
    repeated: records - onTopic.size,
    violations: judge({ load, onTopic, memory, memoryRule, mostAccepted, toleranceMs }),
  };
}

/** One job for each sender, which has its part of rate and connections. */
function jobsOf(options: OverloadOptions, whole: Omit<LoadJob, 'bodyBytes'>): LoadJob[] {
  return Array.from({ length: options.senders }, (_, index) => ({
    ...whole,
    name: `${whole.name}-${index}`,
    bodyBytes: options.bodyBytes,
    connections: Math.ceil(whole.connections / options.senders),
    perSecond: whole.perSecond === undefined ? undefined : whole.perSecond / options.senders,
  }));
}

/** Finds the ceiling of the senders, which is not the ingress's. */
async function findSenderLimit(options: OverloadOptions, sources: LoadSource[]): Promise<number> {
  const answer = Buffer.from('{"id":"none"}');
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(202, { 'content-length': answer.length }).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const ingressUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const job = { name: 'limit', ingressUrl, sources, perSecond: undefined, seconds: senderLimitSeconds };
    const report = await runLoad(jobsOf(options, { ...job, connections: warmUpConnections }));
    return Math.round((report.answers['202'] ?? 0) / report.seconds);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
