import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLocalReceiver } from '../smoke/local-receiver.ts';

export interface DemoReceiver {
  /** The URL of the service with this path. */
  url(path: string): string;
  /** From now on the warehouse takes orders of guests. */
  fix(): void;
  stop(): Promise<void>;
}

interface Options {
  port: number;
  /** The dispatcher's name for this machine, and the addresses that it leads to. */
  host: string;
  listenOn: readonly string[];
}

export const warehousePath = '/warehouse';
/** The answer of the warehouse to an order without a customer. */
export const warehouseError = `{"error":"Cannot read properties of undefined (reading 'customer_id')"}`;

/** All services of the demo's tenant. The warehouse has a defect until it is fixed: it can't take orders of guests. */
export async function startDemoReceiver({ port, host, listenOn }: Options): Promise<DemoReceiver> {
  let isFixed = false;
  const take: RequestListener = (request, response) => {
    const answer = (status: number, body: string): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    text(request).then(
      (body) => {
        const fails = !isFixed && request.url === warehousePath && isOfGuest(body);
        if (fails) answer(500, warehouseError);
        else answer(200, '{"ok":true}');
      },
      () => response.destroy(),
    );
  };
  const { stop } = await startLocalReceiver({ name: 'the receiver of make demo', port, listenOn, take });
  return { url: (path) => `http://${host}:${port}${path}`, fix: () => void (isFixed = true), stop };
}

const isOfGuest = (body: string): boolean => (JSON.parse(body) as { customer?: unknown }).customer === undefined;
