import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import { KafkaJSError } from 'kafkajs/src/errors.js';

/**
 * A coordinator that has dropped a member answers its heartbeat with UNKNOWN_MEMBER_ID. kafkajs then forgets the member's id and joins again.
 * If that join fails (a time-out, a cut connection), its fetch loop continues and, without an id, sends no heartbeat: the consumer is no
 * member and never joins again. Seen three times on a starved machine, where the group had no member for ten minutes. Patched: a heartbeat
 * without an id fails as if the coordinator had refused it, so the loop joins again, or crashes and restarts.
 */
export function rejoinWithoutMemberId(): void {
  const group = ConsumerGroup.prototype;
  const heartbeat = group.heartbeat;
  group.heartbeat = async function (options) {
    if (!this.memberId)
      throw Object.assign(new KafkaJSError('the last join of the group failed'), { type: 'UNKNOWN_MEMBER_ID' });
    return heartbeat.call(this, options);
  };
}
