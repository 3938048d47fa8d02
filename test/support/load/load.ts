/** The messages to and from one sender process. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { within } from '../wait-until.ts';
import { type Latencies, sumLatencies } from './latencies.ts';

export interface LoadSource {
  id: string;
  secret: string;
}

export interface LoadJob {
  /** Stands in every webhook’s id. */
  name: string;
  ingressUrl: string;
  sources: LoadSource[];
  /** Open loop: so many are due each second, whatever their outcomes. Undefined: closed loop, the next after the answer. */
  perSecond: number | undefined;
  seconds: number;
  connections: number;
  bodyBytes: number;
}

export interface LoadReport {
  due: number;
  /** Not sent: every connection waited for its answer. */
  held: number;
  sent: number;
  /** By HTTP status; `none`: the connection ended without an answer. */
  answers: Record<string, number>;
  /** By source, of 2xx. */
  receipts: Record<string, string[]>;
  /** From when the request was due, in a closed loop from its first byte, to the answer's last. */
  latencies: Latencies;
  /** The longest from a request's last byte to its answer's, less what this process itself was late in reading it. */
  maxMs: number;
  /** How late this process was at worst. */
  ownDelayMs: number;
  seconds: number;
}

/** Runs the jobs, each in a process of its own, at the same time. */
export async function runLoad(jobs: readonly LoadJob[]): Promise<LoadReport> {
  return mergeReports(await Promise.all(jobs.map(runJob)));
}

const graceMs = 30_000;

async function runJob(job: LoadJob): Promise<LoadReport> {
  const child = fork(join(import.meta.dirname, 'send-load.ts'), { execArgv: [] });
  try {
    const report = new Promise<LoadReport>((resolve, reject) => {
      child.once('message', (message) => resolve(message as LoadReport));
      child.once('exit', (code) => reject(new Error(`a sender ended with ${code} before it was done`)));
    });
    child.send(job);
    return await within('a sender is done', job.seconds * 1000 + graceMs, report);
  } finally {
    child.kill();
  }
}

export function mergeReports(reports: readonly LoadReport[]): LoadReport {
  const sum = (of: (report: LoadReport) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const answers: LoadReport['answers'] = {};
  const receipts: LoadReport['receipts'] = {};
  for (const report of reports) {
    for (const [status, count] of Object.entries(report.answers)) answers[status] = (answers[status] ?? 0) + count;
    for (const [source, ids] of Object.entries(report.receipts))
      receipts[source] = [...(receipts[source] ?? []), ...ids];
  }
  return {
    due: sum(({ due }) => due),
    held: sum(({ held }) => held),
    sent: sum(({ sent }) => sent),
    answers,
    receipts,
    latencies: sumLatencies(reports.map(({ latencies }) => latencies)),
    maxMs: Math.max(...reports.map(({ maxMs }) => maxMs)),
    ownDelayMs: Math.max(...reports.map(({ ownDelayMs }) => ownDelayMs)),
    seconds: Math.max(...reports.map(({ seconds }) => seconds)),
  };
}
