/** The parts of the API that tests use, in the words of its documentation. */
export interface ApiClient {
  createSource(source: Record<string, unknown>): Promise<{ id: string; secret: string; ingest_url: string }>;
  createEndpoint(endpoint: Record<string, unknown>): Promise<EndpointAnswer & { secret: string }>;
  endpoints(): Promise<EndpointAnswer[]>;
  /** Every event that changed at this time or later, each once, in the order of `updated_at`; pages are followed to the end. */
  eventsSince(updatedAtGte: string): Promise<EventAnswer[]>;
  /** Whether the webhook of this receipt became the event or a duplicate of it. */
  eventsOfReceipt(receiptId: string): Promise<EventAnswer[]>;
  deliveriesOf(eventId: string): Promise<DeliveryAnswer[]>;
  remove(path: string): Promise<void>;
}

interface EndpointAnswer {
  id: string;
  url: string;
  source_ids: string[];
  created_at: string;
  disabled_at: string | null;
}

export interface EventAnswer {
  id: string;
  source_id: string;
  receipt_id: string;
  status: string;
  updated_at: string;
  duplicates: number;
  duplicates_changed: number;
  deliveries: Record<'pending' | 'retrying' | 'delivered' | 'dead_lettered' | 'cancelled', number>;
}

export interface DeliveryAnswer {
  id: string;
  endpoint_id: string;
  status: string;
  attempts: number;
}

const timeoutMs = 10_000;
const pageSize = 1_000;

/** The server closes a connection that has been idle for 5 s. A test that was busy for that long hears of it only when it sends again. */
const wasOnUsedConnection = ({ cause }: Error): boolean =>
  ((cause as { socket?: { bytesRead?: number } } | undefined)?.socket?.bytesRead ?? 0) > 0;

export function createApiClient({ url, adminKey }: { url: string; adminKey: string }): ApiClient {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const send = (): Promise<Response> =>
      fetch(`${url}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
    const response = await send().catch((error: Error) => {
      if (method === 'GET' && wasOnUsedConnection(error)) return send();
      throw error;
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

  return {
    createSource: (source) => call('POST', '/sources', source) as ReturnType<ApiClient['createSource']>,
    createEndpoint: (endpoint) => call('POST', '/endpoints', endpoint) as ReturnType<ApiClient['createEndpoint']>,
    endpoints: () => call('GET', '/endpoints?limit=1000') as Promise<EndpointAnswer[]>,
    async eventsSince(updatedAtGte) {
      const events = new Map<string, EventAnswer>();
      for (let since = updatedAtGte; ;) {
        const page = (await call(
          'GET',
          `/events?updated_at_gte=${encodeURIComponent(since)}&limit=${pageSize}`,
        )) as EventAnswer[];
        for (const event of page) {
          // An event that changed between two pages comes again, further back.
          events.delete(event.id);
          events.set(event.id, event);
        }
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return [...events.values()];
        since = last.updated_at;
      }
    },
    eventsOfReceipt: (receiptId) => call('GET', `/events?receipt_id=${receiptId}`) as Promise<EventAnswer[]>,
    deliveriesOf: (eventId) => call('GET', `/events/${eventId}/deliveries`) as Promise<DeliveryAnswer[]>,
    remove: async (path) => void (await call('DELETE', path)),
  };
}
