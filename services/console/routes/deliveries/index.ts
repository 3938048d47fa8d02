import type { Page } from '../../page.ts';
import { cancelDelivery, retryDelivery } from './act.ts';
import { attempt } from './attempt.ts';
import { deliveries } from './deliveries.ts';
import { delivery } from './show.ts';

/** `T/deliveries`, and what is below it. */
export const deliveryPages: readonly Page[] = [deliveries, delivery, attempt, retryDelivery, cancelDelivery];
