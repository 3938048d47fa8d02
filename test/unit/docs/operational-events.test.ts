import { operationalEventTypes } from '#lib/contract';
import { announcedPayload } from '../../../services/dispatcher/announcing/announced-payload.ts';
import { documentedEvents } from '../../support/documented-events.ts';

/** Fields of a payload on the page that are not among the facts of an announcement. */
const added = ['type', 'endpoint_id', 'source_id', 'tenant', 'limit', 'resource'];

test('the page has a section with an example for each operational event, and for no other', () => {
  expect([...documentedEvents.keys()]).toEqual([...operationalEventTypes]);
});

/** That the facts of real announcements have these members: the integration tests of those who write them. */
test.each(operationalEventTypes)('the example of %s is a payload as it is published', (type) => {
  const example = documentedEvents.get(type) ?? {};
  const text = (name: string): string | undefined => example[name] as string | undefined;
  const facts = Object.fromEntries(Object.entries(example).filter(([name]) => !added.includes(name)));
  const payload = announcedPayload({
    tenant: 'acme',
    type,
    subject: text('endpoint_id') ?? text('source_id') ?? text('limit') ?? '',
    episode: '',
    facts,
    due_at: '',
  });
  expect(JSON.stringify(payload)).toBe(JSON.stringify(example));
});

test('a URL is shown without its query', () => {
  const announcement = { tenant: 'acme', subject: 'ep_1', episode: '', due_at: '' };
  for (const url of ['https://receiver.test/hook?token=1#here', 'https://receiver.test/hook#?token'])
    expect(announcedPayload({ ...announcement, type: 'hookline.endpoint.failing', facts: { url } })).toMatchObject({
      url: 'https://receiver.test/hook',
    });
});
