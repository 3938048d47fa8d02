import { KafkaJSError } from 'kafkajs/src/errors.js';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';

let rejoins = false;

/**
 * A coordinator that has given a member up answers its heartbeat with UNKNOWN_MEMBER_ID. kafkajs forgets the member's id then and joins anew;
 * where that join fails (a time-out, a cut connection), its fetch loop goes on, and sends no heartbeat for want of an id: it is no member, hears
 * of nothing and never joins again. Seen three times on a starved machine, where the group stood without a member for ten minutes. Here a
 * heartbeat without an id fails as if the coordinator had refused it, so that the loop joins again, or crashes and starts anew.
 *
 * It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
export function rejoinWithoutMemberId(): void {
  if (rejoins) return;
  rejoins = true;
  const group = ConsumerGroup.prototype;
  const heartbeat = group.heartbeat;
  group.heartbeat = async function (options) {
    if (!this.memberId)
      throw Object.assign(new KafkaJSError('the last join of the group failed'), { type: 'UNKNOWN_MEMBER_ID' });
    return heartbeat.call(this, options);
  };
}
