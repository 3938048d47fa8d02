/** The webhooks of the demo's providers: the same at every call but for the ids, which have to be new to make new events. */
import { createHash } from 'node:crypto';
import type { SourceName } from './demo-tenant.ts';

export interface DemoWebhook {
  source: SourceName;
  /** Its provider's id for it. */
  id: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The warehouse fails on it. */
  isOfGuest?: boolean;
}

interface Making {
  /** New at every call, and for each webhook. */
  hex: string;
  /** Counts the webhooks. */
  n: number;
}

const customers = ['ada@northwind.example', 'grace@contoso.example', 'linus@fabrikam.example', 'joan@tailspin.example'];
const products = ['Enamel mug', 'Canvas tote', 'Desk lamp', 'Field notebook', 'Wool blanket'];
const branches = ['main', 'main', 'release-2.4', 'fix/rounding'];

const guestOrder = (making: Making): DemoWebhook => ({ ...shopOrder('orders/paid', making, false), isOfGuest: true });
const order =
  (topic: string) =>
  (making: Making): DemoWebhook =>
    shopOrder(topic, making, true);

/** One round of a quiet hour. The guest's order comes first: its dead letter takes longest. */
const round: readonly ((making: Making) => DemoWebhook)[] = [
  guestOrder,
  stripe('invoice.paid', { amount_paid: 4900, status: 'paid' }),
  push,
  order('orders/create'),
  order('orders/paid'),
  stripe('invoice.payment_failed', { amount_due: 12900, status: 'open', attempt_count: 2 }),
  pullRequest,
  stripe('charge.refunded', { amount: 4900, amount_refunded: 4900, refunded: true }),
  order('orders/fulfilled'),
  stripe('customer.subscription.updated', { status: 'active', quantity: 12 }),
  order('orders/paid'),
  push,
];
const rounds = 3;

/** @param run tells the ids of this call from those of others */
export const demoWebhooks = (run: string): DemoWebhook[] =>
  Array.from({ length: rounds * round.length }, (_, n) => {
    const making = { n, hex: createHash('sha256').update(`${run}/${n}`).digest('hex') };
    return (round[n % round.length] ?? push)(making);
  });

function shopOrder(topic: string, { hex, n }: Making, hasCustomer: boolean): DemoWebhook {
  const quantity = 1 + (n % 3);
  const price = 19 + 7 * (n % 5);
  const id = uuidOf(hex);
  return {
    source: 'Shopify',
    id,
    headers: {
      'x-shopify-topic': topic,
      'x-shopify-webhook-id': id,
      'x-shopify-shop-domain': 'northwind.myshopify.com',
    },
    body: JSON.stringify({
      id: Number.parseInt(hex.slice(0, 10), 16),
      name: `#${1041 + n}`,
      currency: 'EUR',
      total_price: (quantity * price).toFixed(2),
      financial_status: topic === 'orders/create' ? 'pending' : 'paid',
      ...(hasCustomer && { customer: { id: 7000 + n, email: customers[n % customers.length] } }),
      line_items: [{ title: products[n % products.length], quantity, price: price.toFixed(2) }],
    }),
  };
}

function stripe(type: string, object: Readonly<Record<string, unknown>>) {
  return ({ hex, n }: Making): DemoWebhook => {
    const id = `evt_${hex.slice(0, 24)}`;
    return {
      source: 'Stripe',
      id,
      headers: {},
      body: JSON.stringify({
        id,
        object: 'event',
        api_version: '2026-05-27',
        type,
        data: {
          object: {
            id: `${type.startsWith('invoice') ? 'in' : type.startsWith('charge') ? 'ch' : 'sub'}_${hex.slice(24, 48)}`,
            customer: `cus_${hex.slice(48, 62)}`,
            customer_email: customers[n % customers.length],
            currency: 'eur',
            ...object,
          },
        },
      }),
    };
  };
}

function push(making: Making): DemoWebhook {
  const { hex, n } = making;
  const message = ['Round once, at the end', 'Let guests check out', 'Name the currency'][n % 3];
  return github('push', making, {
    ref: `refs/heads/${branches[n % branches.length]}`,
    after: hex.slice(0, 40),
    commits: [{ id: hex.slice(0, 40), message, author: { username: 'ada-n' } }],
  });
}

function pullRequest(making: Making): DemoWebhook {
  const number = 310 + making.n;
  return github('pull_request', making, {
    action: 'opened',
    number,
    pull_request: { number, title: 'Let guests check out', user: { login: 'ada-n' }, base: { ref: 'main' } },
  });
}

function github(event: string, { hex }: Making, body: object): DemoWebhook {
  const id = uuidOf(hex);
  return {
    source: 'GitHub',
    id,
    headers: { 'x-github-event': event, 'x-github-delivery': id, 'x-github-hook-id': '451201877' },
    body: JSON.stringify({ ...body, repository: { full_name: 'northwind/shop' }, sender: { login: 'ada-n' } }),
  };
}

const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
