import { cases } from './cases.ts';

/** How others' suites call what goes wrong with such requests: idemlease, go-idempotency, fiber, svix, rocket-rides-atomic and more. */
const scenarios = [
  ...['first-execution', 'replay', 'replay-binary', 'replay-error-4xx', 'no-key', 'required-missing'],
  ...['in-flight-different-body', 'mismatch-body', 'mismatch-path', 'mismatch-query', 'same-json-different-bytes'],
  ...['safe-methods', 'concurrent-100', 'concurrent-over-expired', 'two-instances', 'lease-expires-owner-alive'],
  ...['lease-expires-owner-dead', 'uncertain', 'fencing', '5xx', '429/503/401', 'throw', 'client-disconnect'],
  ...['store-down-begin', 'store-down-release', 'ack-lost', 'key-255', 'key-bad', 'key-quoted', 'header-allowlist'],
  ...['compressed', 'streaming', 'request-too-big', 'hash-first', 'log-privacy'],
];

/** redis-wiped: test/integration/idempotency/outages.test.ts. webhook-dedup-payload-change: `duplicate_changed`, libs/dedup-store. */
test('every scenario that is known from elsewhere has a case', () => {
  expect(new Set(cases.flatMap(({ ids = [] }) => ids))).toEqual(new Set(scenarios));
});
