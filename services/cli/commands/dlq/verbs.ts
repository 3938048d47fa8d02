import { apiVerb, tenantOption } from '../../api-calls/api-verb.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { omitAbsent, readLimit } from '../../options/read-values.ts';
import { exitCodesOfReplay, replayLimitOptions, waitOptions } from '../../options/replay-limits.ts';
import { columns, table } from '../../output/print.ts';
import { flag, list, text, verb } from '../../verb.ts';
import { type DeadLetter, deadLetterColumns, deadLetterRow } from './dead-letter-view.ts';
import { filterOf, filterOptions } from './filter-options.ts';
import { replayDeadLetters } from './replay-dead-letters.ts';

const resources = 'dead letters';

export const deadLetters = {
  list: apiVerb({
    summary: 'List the dead letters, and why each was dead-lettered',
    description: 'Lists the dead letters, newest first.',
    resources,
    options: {
      ...filterOptions,
      status: text('NAME', 'dead, replaying, replayed or all (default: dead)'),
      limit: text('N', 'list at most this many (default: 50)'),
    },
    call: (api, values, _given, { clock }) => {
      const { status = 'dead' } = values;
      const query = new URLSearchParams({
        ...filterOf(values, clock.nowMs()),
        ...(status !== 'all' && { status }),
      });
      return api.list<DeadLetter>(`/dead-letters?${query.toString()}`, readLimit(values.limit, { otherwise: 50 }));
    },
    show: (deadLetters, screen) => table(deadLetters.map(deadLetterRow), deadLetterColumns, screen),
  }),
  show: apiVerb({
    summary: 'Show a dead letter or the progress of a replay',
    description: 'Shows a dead letter (dl_…) with its headers and payload, or a replay (rpl_…) and its progress.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('GET', pathOf(id.startsWith('rpl_') ? 'replays' : 'dead-letters', id)),
  }),
  replay: verb({
    summary: 'Replay dead letters',
    description: `Replays dead letters, oldest first, and shows the progress until what was sent has arrived, or not. Each dead letter is sent by one replay only, however many run at once. Ctrl-C stops watching, not the replay. ${exitCodesOfReplay}`,
    options: {
      all: flag('replay all dead letters; without it there must be a filter'),
      id: list('ID', 'replay this dead letter'),
      ...filterOptions,
      ...replayLimitOptions,
      ...waitOptions,
      'dry-run': flag('show what would be replayed; change nothing'),
      yes: flag('do not ask'),
      ...tenantOption(resources),
    },
    run: (values, _given, context) => replayDeadLetters(values, context),
  }),
  items: apiVerb({
    summary: 'List the items of a replay, such as those that failed',
    description: 'Lists the items of a replay in its order, with why they failed; also of a replay by filter.',
    resources,
    argument: 'replay',
    options: {
      status: text('NAME', 'waiting, sending, replayed, failed, left_out or cancelled'),
      outcome: text('NAME', 'what became of its delivery: delivered, waiting, dead_lettered or cancelled'),
      limit: text('N', 'list at most this many (default: 50)'),
    },
    call: (api, { status, outcome, limit }, { replay }) => {
      const query = new URLSearchParams(omitAbsent({ status, outcome }));
      return api.list(`${pathOf('replays', replay, 'items')}?${query.toString()}`, readLimit(limit, { otherwise: 50 }));
    },
    show: columns('item', 'status', 'outcome', 'reason', 'event_id', 'endpoint_id', 'dead_letter_id', 'delivery_id'),
  }),
  cancel: apiVerb({
    summary: 'Cancel a replay',
    description: 'Cancels a running replay. What it has not sent yet is a dead letter again and can be replayed.',
    resources,
    argument: 'replay',
    call: async (api, _values, { replay }) => {
      const path = pathOf('replays', replay);
      await api.ask('DELETE', path);
      return api.ask('GET', path);
    },
  }),
};
