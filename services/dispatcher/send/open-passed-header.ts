import { type Delivery, openHeader } from '#lib/contract';
import { type Logger, toAppError } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';

/** Opens the credentials that go to the receiver. One whose key is gone is left out, and the receiver says what it thinks of that. */
export const createOpenPassedHeader =
  ({ secretBox, log }: { secretBox: SecretBox; log: Logger }) =>
  ({ tenant, id, endpointId }: Delivery, name: string, sealed: string): string | undefined => {
    try {
      return openHeader(secretBox, { tenant, name }, sealed);
    } catch (error) {
      const facts = { tenant, endpointId, deliveryId: id, name };
      log.error({ event: 'delivery.header_unreadable', ...facts, err: toAppError(error) });
      return undefined;
    }
  };
