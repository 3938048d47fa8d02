/** A thread that reads documents and schemas of tenants, so that whoever started it can end it: document-jobs.ts. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type Job, type Ready } from '../ended-thread.ts';
import { processorMs } from '../processor-limit.ts';
import { lackedFields } from './compare-schemas.ts';
import type { DocumentAnswer, DocumentJob, DocumentResult } from './messages.ts';
import { describeSchema, prepareSchema } from './prepare-schema.ts';
import { readImport, readRequest } from './read-request.ts';

const port = parentPort;
if (port === null) throw new Error('it is started as a worker');

// On Linux a priority is a thread's own (setpriority(2), "C library/kernel differences"); elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

const takenMs = (): number => processorMs(process.threadCpuUsage());

port.on('message', (job: DocumentJob & Job) => {
  port.postMessage({ result: resultOf(job), id: job.id, processorMs: takenMs() } satisfies DocumentAnswer);
});
port.postMessage({ kind: 'ready', processorMs: takenMs() } satisfies Ready);

function resultOf(job: DocumentJob): DocumentResult {
  try {
    return work(job);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too_deep' };
    throw error;
  }
}

function work(job: DocumentJob): DocumentResult {
  switch (job.kind) {
    case 'read':
      return readRequest(job.bytes, job.members);
    case 'read_document':
      return readImport(job.bytes, job.member);
    case 'prepare':
      return { kind: 'prepared', prepared: prepareSchema(job.draft) };
    case 'describe':
      return { kind: 'described', facts: describeSchema(job.schema) };
    case 'compare':
      return { kind: 'lacked', fields: lackedFields(JSON.parse(job.one), JSON.parse(job.other)) };
  }
}
