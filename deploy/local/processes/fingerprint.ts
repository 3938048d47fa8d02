import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A few characters that change with what they are made of. */
export const fingerprint = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** Fingerprint of the files below some folders: changes when one of them is written, comes or goes. */
export function filesFingerprint(folders: readonly string[]): string {
  return fingerprint(
    ...folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((path) => {
          const { mtimeMs, size } = statSync(join(folder, path));
          return `${path} ${mtimeMs} ${size}`;
        }),
    ),
  );
}
