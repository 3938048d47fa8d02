/**
 * Sends a consumer's fetch requests, encoded in one pass (codec/fetch-request.ts). kafkajs makes an encoder with a zeroed buffer for each partition,
 * and shuffles the partitions of all topics: where little comes, and so each record is a fetch, that is more work than the record.
 */
import type { Broker } from 'kafkajs';
import type { Exchange } from 'kafkajs/src/cluster/index.js';
import fetchResponse from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { countFetched, fetchBody, type FetchRequest } from '../codec/fetch-request.ts';

/** kafkajs sends all requests of a broker by this method; it forgets the connection if it was closed meanwhile. */
const sendRequest = 'private:Broker:sendRequest';
const apiKey = 1;
const apiVersion = 11;
/** As kafkajs allows for the network. */
const networkMs = 100;

type Inner = Record<symbol, (exchange: Exchange<object> & { requestTimeout: number }) => Promise<unknown>> & {
  versions?: Readonly<Record<number, { maxVersion: number } | undefined>> | null;
};

/** @returns undefined if kafkajs must send them: to a broker from before 2.3 */
export function createSendFetch(
  broker: Broker,
  random: () => number = Math.random,
): ((request: FetchRequest) => Promise<unknown>) | undefined {
  const symbol = Object.getOwnPropertySymbols(Object.getPrototypeOf(broker)).find(
    ({ description }) => description === sendRequest,
  );
  const inner = broker as unknown as Inner;
  const { maxVersion = 0 } = inner.versions?.[apiKey] ?? {};
  if (symbol === undefined || maxVersion < apiVersion) return undefined;
  return (request) => {
    const body = fetchBody(request, Math.floor(random() * countFetched(request)));
    const encode = async (): Promise<{ buf: Buffer; buffer: Buffer }> => ({ buf: body, buffer: body });
    return (inner[symbol] as Inner[symbol]).call(broker, {
      request: { apiKey, apiVersion, apiName: 'Fetch', encode },
      response: fetchResponse as unknown as Exchange<object>['response'],
      requestTimeout: (request.maxWaitTime ?? 0) + networkMs,
    });
  };
}
