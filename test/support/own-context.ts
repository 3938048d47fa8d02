import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { systemClock } from '#lib/runtime';
import type { Context } from '../../services/cli/context.ts';
import { screenOf } from '../../services/cli/output/print.ts';

export interface Given {
  env?: Readonly<Record<string, string>>;
  /** The standard input; empty by default. */
  input?: string | Buffer;
}

export interface OwnContext {
  context: Context;
  /** So far. */
  stdout(): string;
  stderr(): string;
  /** Whether anything listened. */
  signal(name: NodeJS.Signals): boolean;
  /** The URLs that a browser was to open. */
  opened: string[];
}

/** The context of a command that runs in the process of the test: it has pipes, the environment that is given alone, and UTC. */
export function createOwnContext({ env = {}, input = '' }: Given = {}): OwnContext {
  const [stdout, stderr] = [createOutput(), createOutput()];
  const emitter = new EventEmitter();
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout: stdout.stream, stderr: stderr.stream };
  const opened: string[] = [];
  return {
    context: {
      process: Object.assign(emitter, streams),
      env,
      localEnvFile: join(import.meta.dirname, 'no-stack/local.env'),
      clock: systemClock,
      random: Math.random,
      screen: { ...screenOf(stdout.stream, env), offsetMinutes: () => 0 },
      openInBrowser: async (url) => opened.push(url) > 0,
    },
    stdout: stdout.written,
    stderr: stderr.written,
    signal: (name) => emitter.emit(name),
    opened,
  };
}

function createOutput() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return {
    stream: stream as Writable & { isTTY?: boolean; columns?: number },
    written: () => Buffer.concat(chunks).toString(),
  };
}
