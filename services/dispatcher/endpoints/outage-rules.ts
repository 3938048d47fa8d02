/** When a failing endpoint is announced as failing, and as disabled soon. Times in microseconds. */

/** Neither a restart nor a deployment is an outage. */
const outageAfterMs = 600_000;
const leastAttempts = 3;
const disablingAnnouncedAheadMs = 24 * 3_600_000;

/** @param failingFor the time for which nothing was accepted, without pauses */
export const isOutage = ({ failedAttempts, failingFor }: { failedAttempts: number; failingFor: number }): boolean =>
  failedAttempts >= leastAttempts && failingFor >= outageAfterMs * 1_000;

/** @param disabledIn the time until it is disabled, if it goes on failing */
export const isDisabledSoon = ({
  failedAttempts,
  disabledIn,
}: {
  failedAttempts: number;
  disabledIn: number;
}): boolean => failedAttempts >= leastAttempts && disabledIn <= disablingAnnouncedAheadMs * 1_000;
