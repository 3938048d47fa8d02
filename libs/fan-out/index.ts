export { deliveryIdOf, deliveryOf, recordOfDelivery } from './deliveries-of-event.ts';
export { type EndpointDirectory, createEndpointDirectory } from './endpoint-directory.ts';
export { type MatchEndpoints, type Unmatched, createMatchEndpoints, subscriptionFor } from './match-endpoints.ts';
export { type MatchNarrow, type StepBudget, createMatchNarrow, createStepBudget } from './match-narrow.ts';
export { createFanOutMetrics, fanOutMetrics } from './metrics.ts';
export { type PublishEvent, type Refusal, createPublishEvent } from './publish-event.ts';
export {
  type EndpointSubscription,
  type Subscriber,
  type SubscriberRow,
  readSubscriber,
  subscriberColumns,
} from './subscriber.ts';
export { createSubscriptionIndex } from './subscription-index.ts';
export { createReadHistories } from './read-histories.ts';
export { openSubscriberDirectory } from './subscriber-directory.ts';
