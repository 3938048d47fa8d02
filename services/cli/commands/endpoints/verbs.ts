import { apiVerb, tenantOption } from '../../api-calls/api-verb.ts';
import { connect } from '../../api-calls/connect.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { rotateSecretVerb } from '../../api-calls/rotate-secret.ts';
import { runReplay } from '../../api-calls/run-replay.ts';
import { usageFailure } from '../../command-failure.ts';
import { readJson, readTextFile } from '../../options/read-text-file.ts';
import { readTime, timeForms } from '../../options/read-time.ts';
import { omitAbsent, readLimit } from '../../options/read-values.ts';
import { exitCodesOfReplay, readReplayLimits, replayLimitOptions, waitOptions } from '../../options/replay-limits.ts';
import { changeOptions, readResets, refuseEmptyChange } from '../../options/settings-options.ts';
import { countDown } from '../../output/count-down.ts';
import { columns, describe } from '../../output/print.ts';
import { flag, text, verb } from '../../verb.ts';
import { type CreatedEndpoint, describeBeginning } from './describe-beginning.ts';
import { describeTest, type TestAnswer } from './describe-test.ts';
import { pauseVerbs } from './pause-verbs.ts';
import { endpointOptions, readEndpoint, resettableSettings } from './settings.ts';

export const endpoints = {
  list: apiVerb({
    summary: 'List the endpoints',
    description: 'Lists the endpoints that are not deleted, oldest first.',
    resources,
    options: {
      status: text('NAME', 'enabled (paused ones too), paused or disabled'),
      failing: flag('endpoints all of whose attempts fail at present'),
      search: text('TEXT', 'endpoints with this text in the URL or the description'),
      limit: text('N', 'list at most this many (default: all)'),
    },
    call: (api, { status, failing, search, limit }) => {
      const filter = omitAbsent({ status, failing: failing ? 'true' : undefined, q: search });
      return api.list(`/endpoints?${new URLSearchParams(filter).toString()}`, readLimit(limit));
    },
    show: columns('id', 'url', 'event_types', 'disabled_reason', 'created_at'),
  }),
  show: apiVerb({
    summary: 'Show an endpoint',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('GET', pathOf('endpoints', id)),
  }),
  create: apiVerb({
    summary: 'Create an endpoint; shows its secret once',
    description:
      'Creates an endpoint. Prints the secret that signs its deliveries: it is shown this once. The endpoint gets events accepted from its `effective_at` on, two seconds from now: on a terminal it is counted down to.',
    resources,
    options: {
      secret: text('TEXT', 'the secret that the receiver has generated (default: a new one)'),
      ...endpointOptions,
    },
    async call(api, values, _given, context) {
      const body = { ...(await readEndpoint(context, values)), ...omitAbsent({ secret: values.secret }) };
      return api.ask<CreatedEndpoint>('POST', '/endpoints', { body });
    },
    show: (created, screen) => `${describe(created, screen)}\n\n${describeBeginning(created, screen)}`,
    afterwards: ({ effective_at }, context) => countDown(context, effective_at),
  }),
  update: apiVerb({
    summary: 'Change or reset settings of an endpoint',
    description:
      'Changes the settings that are given and leaves the rest. In force everywhere, for events that are received from then on, at its `effective_at`, two seconds from now: on a terminal it is counted down to.',
    resources,
    argument: 'id',
    options: { ...changeOptions('endpoint'), ...endpointOptions },
    async call(api, values, { id }, context) {
      const body = {
        ...(await readEndpoint(context, values)),
        ...readResets(values.reset, { thing: 'an endpoint', settings: resettableSettings }),
      };
      refuseEmptyChange(body);
      return api.ask<CreatedEndpoint>('PATCH', pathOf('endpoints', id), { body, ifMatch: values['if-match'] });
    },
    afterwards: ({ effective_at }, context) => countDown(context, effective_at),
  }),
  delete: apiVerb({
    summary: 'Delete an endpoint; cancels its open deliveries',
    description: 'Deletes an endpoint for good. Its open deliveries are cancelled, and its id is never used again.',
    resources,
    argument: 'id',
    call: async (api, _values, { id }) => {
      await api.ask('DELETE', pathOf('endpoints', id));
      return { id, deleted: true };
    },
    show: ({ id }) => `${id} is deleted`,
  }),
  'rotate-secret': rotateSecretVerb('endpoints', {
    description:
      'Prints the new secret: it is shown this once. Deliveries are signed with both until the overlap has passed, so the receiver can switch at any time.',
    secretHelp: 'the new secret that the receiver has generated (default: a new one)',
  }),
  enable: apiVerb({
    summary: 'Enable an endpoint, whatever disabled it',
    description:
      'Enables an endpoint, whatever disabled it. `hookline endpoints recover` replays what was dead-lettered in the meantime.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('POST', pathOf('endpoints', id, 'enable')),
  }),
  disable: apiVerb({
    summary: 'Disable an endpoint; dead-letters its deliveries',
    description:
      'Disables an endpoint. Its open deliveries become dead letters, and so do new ones until it is enabled again.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('POST', pathOf('endpoints', id, 'disable')),
  }),
  ...pauseVerbs,
  recover: verb({
    summary: 'Replay the dead letters of an endpoint since a time',
    description: `Replays the deliveries to the endpoint that were dead-lettered since a time, oldest first, and shows the progress until what was sent has arrived, or not. Ctrl-C stops watching, not the replay. ${exitCodesOfReplay}`,
    argument: 'id',
    options: { since: text('TIME', timeForms), ...replayLimitOptions, ...waitOptions, ...tenantOption(resources) },
    async run(values, { id }, context) {
      const since = readTime('since', values.since, context.clock.nowMs());
      if (since === undefined) throw usageFailure('missing --since');
      const body = { since, ...readReplayLimits(values) };
      return runReplay(
        context,
        connect(context, values.tenant),
        { path: pathOf('endpoints', id, 'recover'), body },
        values,
      );
    },
  }),
  test: apiVerb({
    summary: 'Send a test event to an endpoint and show the outcome',
    description:
      'Sends the endpoint a test event, signed like every delivery, and shows the outcome. Exits 0 if it was delivered, else 1.',
    resources,
    argument: 'id',
    options: {
      type: text('NAME', 'the type of the event'),
      'payload-file': text('FILE', 'the payload: any JSON'),
    },
    async call(api, { type, 'payload-file': file }, { id }, context) {
      const body = {
        ...omitAbsent({ type }),
        ...(file !== undefined && {
          payload: readJson('payload-file', await readTextFile(context, 'payload-file', file)),
        }),
      };
      return api.ask<TestAnswer>('POST', pathOf('endpoints', id, 'test'), { body });
    },
    show: describeTest,
    exitCode: ({ attempt }) => (attempt?.outcome === 'delivered' ? 0 : 1),
  }),
};
