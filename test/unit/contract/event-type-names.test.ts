import { addressOfName, eventTypeNamePattern, isEventTypeName, typeLinkPattern } from '#lib/contract';

/** As providers write them in their headers, payloads and documents. */
const real = [
  ...['invoice.paid', 'payment_intent.succeeded', 'branch-protection-rule-created', 'AUTHORISATION', 'a'],
  ...['orders/create', 'app/uninstalled', 'store/order/statusUpdated', 'Push Hook', 'Merge Request Hook'],
  ...['zen:event-type:ticket.created', 'messaging-event:subject', 'com.github.pull_request.opened'],
  ...[
    'EC2 Instance State-change Notification',
    'Microsoft.Storage.BlobCreated',
    'google.cloud.storage.object.v1.finalized',
  ],
  ...[
    '/event/Low_Ink__e',
    '/data/OpportunityChangeEvent',
    'urn:example:order#paid',
    'https://example.com/events/paid?v=2',
  ],
  ...[
    'CUSTOMER.DISPUTE.CREATED',
    'message.im',
    'invoice.paid|v2',
    "it's paid",
    'Ärger & Co (50 %)',
    '注文.作成',
    '_private',
    '-',
    '...',
  ],
];

test.each(real)('%j is a name of an event type', (name) => {
  expect(isEventTypeName(name)).toBe(true);
});

test.each([
  ['nothing', ''],
  ['a blank at the beginning', ' a'],
  ['a blank at the end', 'a '],
  ['two blanks in a row', 'a  b'],
  ['a line break', 'a\nb'],
  ['NUL', 'a\0b'],
  ['a tab', 'a\tb'],
  ['DEL', 'a\x7fb'],
  ['a blank that is not U+0020', 'a\u00a0b'],
  ['a line separator', 'a\u2028b'],
  ['a character that is not seen', 'a\u200bb'],
  ['a character that turns the direction', 'a\u202eb'],
  ['half a surrogate pair', 'a\ud800'],
  ['a pattern of an endpoint', 'order.*'],
  ['brackets', 'a[0]'],
  ['a dot', '.'],
  ['two dots', '..'],
  ['a part that is two dots', 'a/../b'],
  ['a part that is a dot', './a'],
  ['256 characters', 'x'.repeat(256)],
])('%s is no name', (_what, text) => {
  expect(isEventTypeName(text)).toBe(false);
});

test('a name has up to 255 characters, as the type of an event has', () => {
  expect(isEventTypeName('x'.repeat(255))).toBe(true);
  expect(isEventTypeName('😀'.repeat(255))).toBe(true);
});

test('judging a long text takes no time that grows faster than the text', () => {
  const pattern = new RegExp(eventTypeNamePattern, 'u');
  const began = performance.now();
  for (const part of ['/', ' ', './', 'a ', '../', 'a/.']) pattern.test(part.repeat(100_000));
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('an address has the name in its path if every proxy leaves it there as it is, and in its query otherwise', () => {
  expect(real.map((name) => addressOfName('/catalog', name)).filter((address) => !address.includes('?'))).toEqual([
    ...['/catalog/invoice.paid', '/catalog/payment_intent.succeeded', '/catalog/branch-protection-rule-created'],
    ...['/catalog/AUTHORISATION', '/catalog/a', '/catalog/Push%20Hook', '/catalog/Merge%20Request%20Hook'],
    ...['/catalog/zen%3Aevent-type%3Aticket.created', '/catalog/messaging-event%3Asubject'],
    ...['/catalog/com.github.pull_request.opened', '/catalog/EC2%20Instance%20State-change%20Notification'],
    ...['/catalog/Microsoft.Storage.BlobCreated', '/catalog/google.cloud.storage.object.v1.finalized'],
    ...['/catalog/CUSTOMER.DISPUTE.CREATED', '/catalog/message.im'],
  ]);
  expect(addressOfName('/catalog', 'orders/create', '/v/2')).toBe('/catalog/-/v/2?name=orders%2Fcreate');
  for (const name of real) {
    const { pathname, searchParams } = new URL(addressOfName('/catalog', name), 'http://host');
    expect(pathname).toMatch(/^\/catalog\/[^/]+$/);
    expect(searchParams.get('name') ?? decodeURIComponent(pathname.slice('/catalog/'.length))).toBe(name);
  }
});

test('a link in a text is any name, and no list of numbers in brackets', () => {
  const names = (text: string) => [...text.matchAll(typeLinkPattern)].map(([, name]) => name);
  expect(names('see [[orders/create]], [[Push Hook]] and [[a.b]]')).toEqual(['orders/create', 'Push Hook', 'a.b']);
  expect(names('[[ a ]] [[a  b]] [[a]b]] [[[1],[2]]] [[]] [[a\nb]]')).toEqual([]);
});
