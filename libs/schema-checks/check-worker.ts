/** A thread that compiles schemas and checks payloads, so that whoever started it can end it: schema-checks.ts. */
import { parentPort } from 'node:worker_threads';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { CheckAnswer, CheckRequest, Ready } from './messages.ts';
import { processorMs } from './processor-limit.ts';

const port = parentPort;
if (port === null) throw new Error('it is started as a worker');

/** Compiled schemas take some hundred kilobytes each. */
const maxCompiled = 100;
/** By key, the one used last at the end. */
const compiled = new Map<string, ValidateFunction>();

port.on('message', (request: CheckRequest) => {
  port.postMessage({ ...answerTo(request), id: request.id, processorMs: takenMs() } satisfies CheckAnswer);
});
port.postMessage({ kind: 'ready', processorMs: takenMs() } satisfies Ready);

type Answer = CheckAnswer extends infer Each
  ? Each extends CheckAnswer
    ? Omit<Each, 'id' | 'processorMs'>
    : never
  : never;

function takenMs(): number {
  return processorMs(process.threadCpuUsage());
}

function answerTo(request: CheckRequest): Answer {
  if (request.kind === 'compile') {
    try {
      keep(request.key, compile(JSON.parse(request.schema) as object | boolean));
      return { kind: 'compiled' };
    } catch (error) {
      return { kind: 'invalid_schema', message: (error as Error).message.slice(0, 500) };
    }
  }
  const validate = compiled.get(request.key);
  if (validate === undefined) return { kind: 'unknown' };
  keep(request.key, validate);
  const payload = parse(request.payload);
  if (payload === undefined) return { kind: 'mismatch', field: '', message: 'is no JSON' };
  return validate(payload.value) === true ? { kind: 'match' } : mismatch(validate.errors?.[0]);
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Each in an instance of its own: an `$id` is known to no other. Formats are notes to the reader, as the dialect has it. */
function compile(schema: object | boolean): ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
  });
  return ajv.compile(schema);
}

function keep(key: string, validate: ValidateFunction): void {
  compiled.delete(key);
  compiled.set(key, validate);
  const [oldest] = compiled.keys();
  if (compiled.size > maxCompiled && oldest !== undefined) compiled.delete(oldest);
}

/** The place in the payload, as a JSON pointer, and what is wrong there. */
function mismatch(error: ErrorObject | undefined): Answer {
  const { instancePath = '', params = {}, message = 'does not match', keyword } = error ?? {};
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const field = name === undefined ? instancePath : `${instancePath}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
  const said = missingProperty !== undefined ? 'is missing' : name !== undefined ? 'is not described' : message;
  const { allowedValues } = params as { allowedValues?: unknown[] };
  const values = keyword === 'enum' && allowedValues !== undefined ? `: ${JSON.stringify(allowedValues)}` : '';
  return { kind: 'mismatch', field: field.slice(0, 500), message: `${said}${values}`.slice(0, 500) };
}
