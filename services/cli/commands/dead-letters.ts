import type { DeadLetter } from '#lib/api-contract';
import { apiVerbs } from '../api-calls/api-verb.ts';
import { connect } from '../api-calls/api.ts';
import { runReplay } from '../api-calls/replays.ts';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { exitCodesOfReplay, readReplayLimits, replayLimitOptions, waitOptions } from '../options/replay-options.ts';
import { omitAbsent, queryOf, readTimes, timeForms } from '../options/values.ts';
import { isConfirmed, refuseUnasked } from '../output/confirm.ts';
import { columns, table } from '../output/print.ts';
import { flag, list, text, type Values, verb } from '../verb.ts';

/** The filters of dead letters, each the API's field of that name. */
const filterOptions = {
  stage: text('NAME', 'where it was dead-lettered: dedup, fan-out, dispatcher or projector'),
  endpoint: text('ID', 'deliveries to this endpoint'),
  type: text('NAME', 'events of this type'),
  source: text('ID', 'events of this source'),
  reason: text('NAME', 'why it was dead-lettered, such as retries_exhausted'),
  since: text('TIME', `dead-lettered at this time or later: ${timeForms}`),
  until: text('TIME', 'dead-lettered before this time'),
};

/** The API's fields. */
const filterOf = (values: Values<typeof filterOptions>, nowMs: number): Record<string, string> =>
  omitAbsent({
    stage: values.stage,
    endpoint_id: values.endpoint,
    event_type: values.type,
    source_id: values.source,
    reason: values.reason,
    ...readTimes(values, nowMs),
  });

/** The columns of a table of dead letters: those that tell most stand first. */
const deadLetterColumns = [
  ...['id', 'at', 'last', 'reason', 'attempts', 'stage', 'event_type', 'event_id', 'endpoint_id', 'status'],
];

const deadLetterRow = (deadLetter: DeadLetter) => ({ ...deadLetter, last: lastOf(deadLetter) });

/** The receiver's last outcome: `HTTP 500`, `timeout`; null where nothing was sent. */
const lastOf = ({ last_outcome: outcome, last_http_status: status }: DeadLetter): string | null =>
  status === null ? outcome : `HTTP ${status}`;

const { apiVerb, listVerb, tenantOption } = apiVerbs('dead letters');

const replayOptions = {
  all: flag('replay all dead letters; without it there must be a filter'),
  id: list('ID', 'replay this dead letter'),
  ...filterOptions,
  ...replayLimitOptions,
  ...waitOptions,
  'dry-run': flag('show what would be replayed; change nothing'),
  yes: flag('do not ask'),
  ...tenantOption,
};

const notDone = 'nothing was replayed';

async function replayDeadLetters(values: Values<typeof replayOptions>, context: Context): Promise<number> {
  const filter = filterOf(values, context.clock.nowMs());
  if (!values.all && values.id === undefined && Object.keys(filter).length === 0)
    throw usageFailure('no dead letters selected: give a filter, or --all');
  const body = {
    ...filter,
    ids: values.id,
    ...(values.all && { all: true }),
    ...readReplayLimits(values),
  };
  refuseUnasked(values, context);

  const api = connect(context, values.tenant);
  const replay = (request: object) => api.call('POST /v1/dead-letters/replay', { body: JSON.stringify(request) });
  if (values['dry-run'] || !values.yes) {
    const preview = await replay({ ...body, dry_run: true });
    if (!('dry_run' in preview)) throw new Error('a dry run has started a replay');
    const question = `Replay ${preview.matched} dead letters?`;
    const words = { question, noMatch: `no dead letters to replay: ${notDone}`, notDone };
    if (!(await isConfirmed(context, preview, words, values))) return 0;
  }
  return runReplay(context, api, () => replay(body), values);
}

export const deadLetters = {
  list: listVerb({
    summary: 'List the dead letters, and why each was dead-lettered',
    description: 'Lists the dead letters, newest first.',
    options: { ...filterOptions, status: text('NAME', 'dead, replaying, replayed or all (default: dead)') },
    limits: { otherwise: 50 },
    call: (api, { status = 'dead', most, ...values }, _given, { clock }) => {
      const query = queryOf({ ...filterOf(values, clock.nowMs()), ...(status !== 'all' && { status }) });
      return api.list('GET /v1/dead-letters', most, { query });
    },
    show: (deadLetters, screen) => table(deadLetters.map(deadLetterRow), deadLetterColumns, screen),
  }),
  show: apiVerb({
    summary: 'Show a dead letter or the progress of a replay',
    description: 'Shows a dead letter (dl_…) with its headers and payload, or a replay (rpl_…) and its progress.',
    argument: 'id',
    call: (api, _values, params): Promise<object> => {
      const name = params.id.startsWith('rpl_') ? 'GET /v1/replays/:id' : 'GET /v1/dead-letters/:id';
      return api.call(name, { params });
    },
  }),
  replay: verb({
    summary: 'Replay dead letters',
    description: `Replays dead letters, oldest first, and shows the progress until what was sent has arrived, or not. Each dead letter is sent by one replay only, however many run at once. Ctrl-C stops watching, not the replay. ${exitCodesOfReplay}`,
    options: replayOptions,
    run: (values, _given, context) => replayDeadLetters(values, context),
  }),
  items: listVerb({
    summary: 'List the items of a replay, such as those that failed',
    description: 'Lists the items of a replay in its order, with why they failed; also of a replay by filter.',
    argument: 'replay',
    options: {
      status: text('NAME', 'waiting, sending, replayed, failed, left_out or cancelled'),
      outcome: text('NAME', 'what became of its delivery: delivered, waiting, dead_lettered or cancelled'),
    },
    limits: { otherwise: 50 },
    call: (api, { status, outcome, most }, { replay: id }) =>
      api.list('GET /v1/replays/:id/items', most, { params: { id }, query: queryOf({ status, outcome }) }),
    show: columns('item', 'status', 'outcome', 'reason', 'event_id', 'endpoint_id', 'dead_letter_id', 'delivery_id'),
  }),
  cancel: apiVerb({
    summary: 'Cancel a replay',
    description: 'Cancels a running replay. What it has not sent yet is a dead letter again and can be replayed.',
    argument: 'replay',
    call: async (api, _values, { replay }) => {
      const given = { params: { id: replay } };
      await api.call('DELETE /v1/replays/:id', given);
      return api.call('GET /v1/replays/:id', given);
    },
  }),
};
