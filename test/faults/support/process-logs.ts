import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

/** A file for what each process logs. */
export interface ProcessLogs {
  write(name: string, line: string): void;
  close(): void;
}

export function openLogs(dir: string): ProcessLogs {
  mkdirSync(dir, { recursive: true });
  const files = new Map<string, WriteStream>();
  return {
    write(name, line) {
      const file = files.get(name) ?? createWriteStream(join(dir, `${name}.log`));
      files.set(name, file);
      file.write(`${line}\n`);
    },
    close: () => files.forEach((file) => file.end()),
  };
}
