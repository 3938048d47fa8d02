/**
 * Where the loggers of a process write: lines wait for others, and one system call writes them all.
 *
 *   a line ──warn, error──► written at once, with all before it
 *      └──info, debug──► waits ──250 ms after the first, 8 KiB, or the process exits──► written
 *
 * It guarantees that lines come in their order, and that none is lost when the process exits: by itself, by `process.exit` (as after SIGTERM), or
 * by an uncaught error. SIGKILL, a crash of Node and a signal that nobody handles lose the lines that wait. While the output can't be written
 * (a full disk), the newest lines beyond `maxWaitingBytes` are dropped, and the process goes on. A line that is longer than collectors take is
 * written with its texts cut (shorten-line.ts), so that no line alone is too long to wait.
 */
import { type DestinationStream, pino } from 'pino';
import { type Clock, limitGranularityMs, type Logger } from '#lib/runtime';
import { maxLineLength, shortenLine } from './shorten-line.ts';

export interface LogOutput extends DestinationStream {
  /** Writes what waits. */
  flush(): void;
}

interface Options {
  clock: Pick<Clock, 'startLimit'>;
  /** The file descriptor. Default: standard output. */
  fd?: number;
}

/** Includes the lateness of a time limit. */
const flushAfterMs = 250 - limitGranularityMs;
const enoughBytes = 8 * 1024;
const maxWaitingBytes = 1024 * 1024;
const leastUrgent = pino.levels.values['warn'] ?? 0;

/** Once a process. */
export function openLogOutput({ clock, fd = 1 }: Options): LogOutput {
  // Synchronous: nothing is in flight when the process exits, and a write per batch needs no thread.
  const stream = pino.destination({ dest: fd, sync: true, minLength: enoughBytes, maxLength: maxWaitingBytes });
  // Without a listener an error would end the process. pino handles a closed pipe.
  stream.on('error', () => undefined);
  let stopLimit: (() => void) | undefined;

  function flush(): void {
    stopLimit?.();
    stopLimit = undefined;
    stream.flush();
  }

  process.once('exit', flush);
  const output = {
    // pino then says the level of the line in `lastLevel`.
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      stream.write(line.length > maxLineLength ? shortenLine(line) : line);
      if (output.lastLevel >= leastUrgent) flush();
      else stopLimit ??= clock.startLimit(flushAfterMs, flush);
    },
    flush,
  };
  return output;
}

/** @param destination gets each line as text; default: standard output, at once */
export function createLogger(options: { service: string; level: string }, destination?: DestinationStream): Logger {
  const logger = pino(
    { level: options.level, base: { service: options.service }, timestamp: pino.stdTimeFunctions.isoTime },
    destination ?? pino.destination(1),
  );
  return Object.assign(logger, { isOn: logger.isLevelEnabled });
}
