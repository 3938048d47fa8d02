/** G1: what the senders were told against what stands on webhooks.received. */
import type { Violation } from '../anomalies.ts';
import type { ReceivedEntry, Send } from '../history.ts';
import { isExcused, type Ledger } from '../ledger.ts';

export function acceptedWebhooksAreOnTheTopic(ledger: Ledger): Violation[] {
  return [
    ...ledger.history.sends.flatMap((send) => judgeSend(ledger, send)),
    // A record that was written again with its origin is our own, not the sender's.
    ...ledger.history.topics['webhooks.received']
      .filter((record) => record.origin === record.position)
      .flatMap((record) => judgeRecord(ledger, record)),
  ];
}

function judgeSend(ledger: Ledger, send: Send): Violation[] {
  const subject = { send: send.number };
  const ofTrace = ledger.recordsByTrace.get(send.traceId) ?? [];
  if (send.outcome === 'ok') {
    // A source may answer 204, and then no receipt id is known.
    const found = send.receiptId === null ? ofTrace : (ledger.recordsByReceipt.get(send.receiptId) ?? []);
    if (found.length === 0)
      return [
        { anomaly: 'lost-write', subject, says: `answered ${send.status} ${send.receiptId ?? ''}, not on the topic` },
      ];
  }
  const written = ofTrace.filter((record) => record.origin === record.position);
  if (written.length > 1 && !isExcused(ledger, ['ingress'], send.startedAtMs))
    return [{ anomaly: 'repeat-without-fault', subject, says: `one request, ${written.length} records` }];
  return [];
}

function judgeRecord(ledger: Ledger, record: ReceivedEntry): Violation[] {
  const subject = { origin: record.origin };
  const send = ledger.sendByTrace.get(record.traceId);
  if (send === undefined) return [{ anomaly: 'phantom-record', subject, says: 'no request had its trace id' }];
  if (send.outcome === 'fail')
    return [{ anomaly: 'aborted-read', subject, says: `request ${send.number} was refused with ${send.status}` }];
  if (send.bodySha256 !== record.bodySha256)
    return [{ anomaly: 'changed-bytes', subject, says: `not the bytes of request ${send.number}` }];
  if (send.receiptId !== null && send.receiptId !== record.receiptId)
    return [{ anomaly: 'changed-bytes', subject, says: `the sender was told ${send.receiptId}` }];
  return [];
}
