import { flag } from '../verb.ts';
import { replayLimitOptions, waitOptions } from './replay-limits.ts';

/** Options of every verb that acts on what matches a filter, beside the filter. */
export const bulkOptions = {
  all: flag('without any filter: all of them'),
  ...replayLimitOptions,
  ...waitOptions,
  'dry-run': flag('show how many match, and why; change nothing'),
  yes: flag('do not ask'),
};
