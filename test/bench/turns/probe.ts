/**
 * Loaded before a process's program (`--import`): measures the processor time of the main thread between two checks, every few milliseconds
 * if the event loop allows. A long turn is a long pause between checks; time without a processor does not count. Each pause of `leastMs` or
 * more is written to the file TURNS_FILE; with TURNS_PROFILE=1, with its profile.
 */
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const everyMs = 2;
const leastMs = 15;
const startMs = 10_000;
const { TURNS_FILE: file = '', TURNS_PROFILE: profiling } = process.env;

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

const session = profiling === '1' ? new Session() : undefined;
session?.connect();
session?.post('Profiler.enable');
session?.post('Profiler.setSamplingInterval', { interval: 500 });

let before = process.threadCpuUsage();
let profileStartMs = 0;
// Loading a program takes long turns, but nobody waits then.
setTimeout(() => {
  restart();
  setInterval(look, everyMs).unref();
}, startMs).unref();

function look(): void {
  const now = process.threadCpuUsage();
  const ms = (now.user + now.system - before.user - before.system) / 1000;
  before = now;
  if (ms >= leastMs) {
    const line = { ms: Math.round(ms * 10) / 10, atMs: Date.now() };
    if (session === undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
    else
      session.post('Profiler.stop', (_error, answer) => {
        const doing = answer === undefined ? [] : busiestAtTheEnd(answer.profile as Profile, ms);
        appendFileSync(file, `${JSON.stringify({ ...line, doing })}\n`);
        restart();
      });
  } else if (session !== undefined && performance.now() - profileStartMs > 2_000) {
    session.post('Profiler.stop');
    restart();
  }
}

function restart(): void {
  session?.post('Profiler.start');
  profileStartMs = performance.now();
  before = process.threadCpuUsage();
}

/** The functions on the stack for most of the last milliseconds, with their callers. */
function busiestAtTheEnd({ nodes, samples, timeDeltas }: Profile, ms: number): string[] {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const counts = new Map<string, number>();
  let leftUs = ms * 1000;
  for (let index = samples.length - 1; index >= 0 && leftUs > 0; index -= 1) {
    const deltaUs = timeDeltas[index] ?? 0;
    leftUs -= deltaUs;
    const seen = new Set<string>();
    for (let id = samples[index]; id !== undefined; id = parents.get(id)) {
      const { functionName, url } = byId.get(id)?.callFrame ?? { functionName: '?', url: '' };
      seen.add(`${functionName} ${url.split('/').slice(-3).join('/')}`);
    }
    for (const name of seen) counts.set(name, (counts.get(name) ?? 0) + deltaUs / 1000);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 16)
    .map(([name, spentMs]) => `${spentMs.toFixed(0)} ms ${name}`);
}
