/** A thread that compiles schemas and checks payloads, so that whoever started it can end it: schema-checks.ts. */
import { parentPort } from 'node:worker_threads';
import { compileSchema, type Validate } from './compile-schema.ts';
import type { Job, Ready } from './ended-thread.ts';
import type { CheckAnswer, CheckRequest, CheckResult } from './messages.ts';
import { processorMs } from './processor-limit.ts';

const port = parentPort;
if (port === null) throw new Error('it is started as a worker');

/** Compiled schemas take some hundred kilobytes each. */
const maxCompiled = 100;
/** By key, the one used last at the end. */
const compiled = new Map<string, Validate>();

port.on('message', (request: CheckRequest & Job) => {
  port.postMessage({ ...answerTo(request), id: request.id, processorMs: takenMs() } satisfies CheckAnswer);
});
port.postMessage({ kind: 'ready', processorMs: takenMs() } satisfies Ready);

function takenMs(): number {
  return processorMs(process.threadCpuUsage());
}

/** Nothing that a schema or a payload makes of it ends the thread, which others wait for. */
function answerTo(request: CheckRequest): CheckResult {
  if (request.kind === 'compile') {
    const built = compileSchema(request.schema);
    if ('message' in built) return { kind: 'invalid_schema', message: built.message };
    keep(request.key, built.validate);
    return { kind: 'compiled' };
  }
  const validate = compiled.get(request.key);
  if (validate === undefined) return { kind: 'unknown' };
  keep(request.key, validate);
  const payload = parse(request.payload);
  return payload === undefined ? { kind: 'mismatch', field: '', message: 'is no JSON' } : validate(payload.value);
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function keep(key: string, validate: Validate): void {
  compiled.delete(key);
  compiled.set(key, validate);
  const [oldest] = compiled.keys();
  if (compiled.size > maxCompiled && oldest !== undefined) compiled.delete(oldest);
}
