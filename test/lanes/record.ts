/** Writes files.json, what each test file takes, from the last run of each: `make test && node test/lanes/record.ts`. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { committedFile, lastRunFile, readTimes } from '../jest/recorded-times.ts';

const times = Object.entries({ ...readTimes(committedFile), ...readTimes(lastRunFile) })
  .filter(([file]) => existsSync(join(import.meta.dirname, '../..', file)))
  .sort(([one], [other]) => (one < other ? -1 : 1));
const lines = times.map(
  ([file, { processorSeconds, wallSeconds }]) =>
    `  ${JSON.stringify(file)}: { "processorSeconds": ${processorSeconds}, "wallSeconds": ${wallSeconds} }`,
);
writeFileSync(committedFile, `{\n${lines.join(',\n')}\n}\n`);
console.log(`${times.length} files`);
