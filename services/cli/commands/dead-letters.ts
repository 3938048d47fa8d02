import type { DeadLetter } from '#lib/api-contract';
import { apiVerb, tenantOption } from '../api-calls/api-verb.ts';
import { connect } from '../api-calls/api.ts';
import { runReplay } from '../api-calls/replays.ts';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { exitCodesOfReplay, readReplayLimits, replayLimitOptions, waitOptions } from '../options/replay-options.ts';
import { omitAbsent, readLimit, readTime, timeForms } from '../options/values.ts';
import { confirm } from '../output/confirm.ts';
import { columns, describe, print, table } from '../output/print.ts';
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
    since: readTime('since', values.since, nowMs),
    until: readTime('until', values.until, nowMs),
  });

/** The columns of a table of dead letters: those that tell most stand first. */
const deadLetterColumns = [
  ...['id', 'at', 'last', 'reason', 'attempts', 'stage', 'event_type', 'event_id', 'endpoint_id', 'status'],
];

const deadLetterRow = (deadLetter: DeadLetter) => ({ ...deadLetter, last: lastOf(deadLetter) });

/** The receiver's last outcome: `HTTP 500`, `timeout`; null where nothing was sent. */
const lastOf = ({ last_outcome: outcome, last_http_status: status }: DeadLetter): string | null =>
  status === null ? outcome : `HTTP ${status}`;

type ReplayValues = Values<typeof filterOptions & typeof replayLimitOptions & typeof waitOptions> & {
  all: boolean;
  id: string[] | undefined;
  'dry-run': boolean;
  yes: boolean;
  tenant: string | undefined;
};

const notDone = 'nothing was replayed';

async function replayDeadLetters(values: ReplayValues, context: Context): Promise<number> {
  const { process, clock, screen } = context;
  const filter = filterOf(values, clock.nowMs());
  if (!values.all && values.id === undefined && Object.keys(filter).length === 0)
    throw usageFailure('no dead letters selected: give a filter, or --all');
  const body = {
    ...filter,
    ...(values.id !== undefined && { ids: values.id }),
    ...(values.all && { all: true }),
    ...readReplayLimits(values),
  };
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!values['dry-run'] && !values.yes && !mayAsk) throw usageFailure('no terminal to confirm on: give --yes');

  const api = connect(context, values.tenant);
  const replay = (request: object) => api.call('POST /v1/dead-letters/replay', { body: JSON.stringify(request) });
  if (values['dry-run'] || !values.yes) {
    const preview = await replay({ ...body, dry_run: true });
    if (!('dry_run' in preview)) throw new Error('a dry run has started a replay');
    if (values['dry-run']) {
      print(context, preview, values.json, describe);
      return 0;
    }
    process.stderr.write(`${describe(preview, screen)}\n`);
    if (preview.matched === 0) {
      print(context, preview, values.json, () => `no dead letters to replay: ${notDone}`);
      return 0;
    }
    await confirm(context, `Replay ${preview.matched} dead letters?`, notDone);
  }

  return runReplay(context, api, () => replay(body), values);
}

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
      return api.list('GET /v1/dead-letters', readLimit(values.limit, { otherwise: 50 }), { query });
    },
    show: (deadLetters, screen) => table(deadLetters.map(deadLetterRow), deadLetterColumns, screen),
  }),
  show: apiVerb({
    summary: 'Show a dead letter or the progress of a replay',
    description: 'Shows a dead letter (dl_…) with its headers and payload, or a replay (rpl_…) and its progress.',
    resources,
    argument: 'id',
    call: (api, _values, { id }): Promise<object> => {
      const name = id.startsWith('rpl_') ? 'GET /v1/replays/:id' : 'GET /v1/dead-letters/:id';
      return api.call(name, { params: { id } });
    },
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
      const given = { params: { id: replay }, query };
      return api.list('GET /v1/replays/:id/items', readLimit(limit, { otherwise: 50 }), given);
    },
    show: columns('item', 'status', 'outcome', 'reason', 'event_id', 'endpoint_id', 'dead_letter_id', 'delivery_id'),
  }),
  cancel: apiVerb({
    summary: 'Cancel a replay',
    description: 'Cancels a running replay. What it has not sent yet is a dead letter again and can be replayed.',
    resources,
    argument: 'replay',
    call: async (api, _values, { replay }) => {
      const given = { params: { id: replay } };
      await api.call('DELETE /v1/replays/:id', given);
      return api.call('GET /v1/replays/:id', given);
    },
  }),
};
