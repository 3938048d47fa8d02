/**
 * A jest sequencer: the files that took longest when test/lanes/files.json was recorded begin first, so that none is left over at the end.
 * Before them are those that the table lacks.
 */
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type * as TestSequencer from '@jest/test-sequencer';
import { committedFile, readTimes } from './recorded-times.ts';

// Its types are of a CommonJS module whose default export is not the imported class.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof TestSequencer.default;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

const times = readTimes(committedFile);

export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    // Files of the same time by their names: jest's own order comes from what it remembers of earlier runs.
    return (await super.sort(tests)).sort(
      (one, other) => wallSeconds(other) - wallSeconds(one) || (one.path < other.path ? -1 : 1),
    );
  }
}

const wallSeconds = ({ path, context }: Tests[number]): number =>
  times[relative(context.config.rootDir, path)]?.wallSeconds ?? Number.MAX_VALUE;
