import { usageFailure } from '../command-failure.ts';
import { flag, text, type Values } from '../verb.ts';
import { omitAbsent, readTimes, readWholeNumber, timeForms } from './values.ts';

/** The filters of deliveries, each the API's field of that name. */
export const deliveryFilterOptions = {
  endpoint: text('ID', 'deliveries to this endpoint'),
  status: text('NAME', 'pending, retrying, parked, delivered, dead_lettered or cancelled'),
  type: text('NAME', 'deliveries of events of this type'),
  outcome: text('NAME', 'outcome of the last attempt, such as http_5xx or timeout'),
  'http-status': text('N', 'HTTP status of the last attempt'),
  since: text('TIME', `created at this time or later: ${timeForms}`),
  until: text('TIME', 'created before this time'),
};

/** The API's fields. */
export const deliveryFilterOf = (values: Values<typeof deliveryFilterOptions>, nowMs: number): Record<string, string> =>
  omitAbsent({
    endpoint_id: values.endpoint,
    status: values.status,
    event_type: values.type,
    outcome: values.outcome,
    http_status: values['http-status'],
    ...readTimes(values, nowMs),
  });

/** Options of every verb that starts a replay. */
export const replayLimitOptions = {
  limit: text('N', 'replay at most this many'),
  rate: text('N', 'replay at most this many a second'),
};

/** An option of every verb that shows a replay until it ends. */
export const waitOptions = {
  wait: text('SECONDS', 'wait so long for what was sent to arrive (default: 60)'),
};

export const exitCodesOfReplay =
  'Exits 0 if everything was delivered, 1 if something could not be sent, is dead-lettered or cancelled, 3 if a delivery still waits when --wait is over.';

const mostWaitSeconds = 86_400;

/** In seconds. */
export const readWaitSeconds = ({ wait }: { wait: string | undefined }): number =>
  readWholeNumber('wait', wait, { min: 0, max: mostWaitSeconds, otherwise: 60 });

/** The API's fields. */
export const readReplayLimits = (
  { limit, rate }: { limit: string | undefined; rate: string | undefined },
  max = 100_000,
) => ({
  limit: readWholeNumber('limit', limit, { min: 1, max, otherwise: undefined }),
  rate_per_second: readRate(rate),
});

function readRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate >= 0.01 && rate <= 10_000) return rate;
  throw usageFailure(`--rate must be a number from 0.01 to 10000, not ${text}`);
}

/** Options of every verb that acts on what matches a filter, beside the filter. */
export const bulkOptions = {
  all: flag('without any filter: all of them'),
  ...replayLimitOptions,
  ...waitOptions,
  'dry-run': flag('show how many match, and why; change nothing'),
  yes: flag('do not ask'),
};
