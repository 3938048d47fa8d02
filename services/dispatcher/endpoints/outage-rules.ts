/** When a failing endpoint is announced as failing, and as disabled soon. Instants in microseconds. */
interface Failing {
  /** Nothing was accepted since. */
  since: number;
  failedAttempts: number;
  now: number;
}

/** Neither a restart nor a deployment is an outage. */
const outageAfterMs = 600_000;
const leastAttempts = 3;
const disablingAnnouncedAheadMs = 24 * 3_600_000;

export const isOutage = ({ since, failedAttempts, now }: Failing): boolean =>
  failedAttempts >= leastAttempts && now - since >= outageAfterMs * 1_000;

export const isDisabledSoon = ({ failedAttempts, now, disablingAt }: Failing & { disablingAt: number }): boolean =>
  failedAttempts >= leastAttempts && disablingAt - now <= disablingAnnouncedAheadMs * 1_000;
