/** The ways in which a history can be wrong, named as Jepsen's Kafka workload or its successors name them, if they do. */
export const anomalies = {
  'lost-write': 'a 2xx was given, but its record does not stand on webhooks.received',
  'aborted-read': 'a webhook that was definitely refused stands on webhooks.received',
  'phantom-record': 'a record on webhooks.received that nobody sent',
  'phantom-event': 'an event of a record that does not stand on webhooks.received',
  'changed-bytes': 'bytes or receipt id differ from those that were sent',
  'inconsistent-offsets': 'one event id stands for two bodies or two origins',
  unseen: 'still pending after the drain period',
  'vanished-record': 'its offset is committed, but it did not become an event, a duplicate or a dead letter',
  'two-ends': 'one received record became more than one of event, duplicate and dead letter',
  'second-event-id': 'one webhook has two event ids within its time to live',
  'false-duplicate': 'taken for a duplicate of another webhook’s event',
  'duplicate-of-nothing': 'taken for a duplicate of an event that was never published',
  'missing-delivery':
    'due to an endpoint, but not in the fan-out, not written, or recorded as delivered without having arrived',
  'phantom-delivery': 'delivered to an endpoint that it was not due to, or of an event that does not exist',
  'lost-dead-letter': 'recorded as dead-lettered, but its dead letter is not on the topic dead-letters',
  'reopened-delivery': 'a delivery that left a final state',
  'needless-dead-letter': 'a webhook that nothing was wrong with became a dead letter',
  'no-answer': 'a request was left without an answer, though nothing had been done to the ingress',
  'late-answer': 'the sender heard later than promised that its webhook could not be taken',
  'refused-signature': 'an outside verifier refused the signature of a delivery',
  'repeat-without-fault': 'published or delivered more than once with no fault that explains it',
  'second-effect': 'one idempotency key has more than one event',
  'second-answer': 'two answers of one idempotency key say that it was done, and differ',
  'false-answer': 'an answer to a publisher names an event that is not what its key has made',
  'unanswered-key': 'a publisher has asked to the end, and no answer says what became of its event',
  'leftover-row': 'a row that its delivery’s or event’s end should have removed or completed',
  'api-disagrees': 'the API says something else than the topics',
  'poll-skip':
    'an event that the API does not list, a receipt that it can’t find, or a change that a poller was not shown',
  'nonmonotonic-poll':
    'the API’s list, or what a poller was shown of it, is not in strictly rising order of updated_at',
  'stuck-poller': 'a poller that did not come to the end',
  'does-not-add-up': 'two counts that must be equal are not',
} as const;

export type Anomaly = keyof typeof anomalies;

/** The thing that a violation is about: any one of these leads to the whole path of the webhook. */
export type Subject =
  | { send: number }
  | { key: string }
  | { origin: string }
  | { eventId: string }
  | { deliveryId: string }
  | { poller: string }
  | { row: string };

export interface Violation {
  anomaly: Anomaly;
  subject: Subject;
  says: string;
}
