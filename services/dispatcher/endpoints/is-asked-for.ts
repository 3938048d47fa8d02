import { isSubscribed, type OperationalEventType, operationalSourceId } from '#lib/contract';
import type { EndpointDirectory } from './endpoint-directory.ts';

/** Whether an open endpoint of the tenant subscribes to events of this type. */
export type IsAskedFor = (tenant: string, type: OperationalEventType) => boolean;

/** Answers from memory, at the cost of one fan-out. */
export const createIsAskedFor =
  (directory: Pick<EndpointDirectory, 'candidates'>): IsAskedFor =>
  (tenant, type) => {
    const event = { tenant, type, source_id: operationalSourceId };
    for (const { subscription } of directory.candidates(event))
      if (subscription.open && isSubscribed(subscription, event)) return true;
    return false;
  };

/** For one round over many endpoints: each tenant's answer is looked up once. */
export function askedOnce(isAskedFor: IsAskedFor): IsAskedFor {
  const known = new Map<string, boolean>();
  return (tenant, type) => {
    const key = `${tenant}/${type}`;
    const answer = known.get(key) ?? isAskedFor(tenant, type);
    known.set(key, answer);
    return answer;
  };
}
