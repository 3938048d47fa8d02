import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { type FilledDemo, fillDemo } from '#deploy/local/demo/fill-demo.ts';
import { createApiClient } from '#deploy/local/smoke/api-client.ts';
import { nativeReceiver } from '#deploy/local/stack/stack.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

interface Delivery {
  id: string;
  endpoint_id: string;
  generation: number;
  status: string;
  attempts: number;
  last_http_status: number | null;
}

const tenant = 'demo';

describe('the tenant of make demo', () => {
  let pipeline: OwnPipeline;

  beforeAll(async () => {
    pipeline = await startOwnPipeline();
  });
  afterAll(() => pipeline?.close());

  const access = () => ({ adminKey: pipeline.stack.adminKey, tenant });
  async function fill(): Promise<FilledDemo> {
    const [port = 0] = await freePorts(1);
    return fillDemo({
      ...access(),
      apiUrl: pipeline.stack.apiUrl,
      receiver: { port, ...nativeReceiver },
      say: () => undefined,
    });
  }

  it('has an event that failed for a reason and arrived by a replay, a duplicate, rejections; and the same once more', () =>
    pipeline.explain(async () => {
      const api = createApiClient({ url: pipeline.stack.apiUrl, ...access() });
      const { eventId, events, deadLettered } = await fill();
      expect([events, deadLettered]).toEqual([36, 3]);

      const deliveries = await api.get<Delivery[]>(`/v1/events/${eventId}/deliveries`);
      const failed = deliveries.filter(({ status }) => status === 'dead_lettered');
      expect(failed).toEqual([expect.objectContaining({ generation: 0, attempts: 3, last_http_status: 500 })]);
      const [attempt] = await api.get<object[]>(`/v1/deliveries/${failed[0]?.id}/attempts`);
      expect(attempt).toMatchObject({
        response_excerpt: `{"error":"Cannot read properties of undefined (reading 'customer_id')"}`,
      });
      const others = deliveries.filter((delivery) => !failed.includes(delivery));
      expect(others.map(({ generation, status }) => [generation, status]).sort()).toEqual([
        [0, 'delivered'],
        [0, 'delivered'],
        [1, 'delivered'],
      ]);
      expect(others.find(({ generation }) => generation === 1)?.endpoint_id).toBe(failed[0]?.endpoint_id);
      expect(await api.get(`/v1/events/${eventId}`)).toMatchObject({ status: 'completed', duplicates: 1 });

      const sources = await api.get<{ id: string }[]>('/v1/sources');
      const rejections = await Promise.all(
        sources.map(({ id }) => api.get<{ code: string }[]>(`/v1/sources/${id}/rejections`)),
      );
      expect(rejections.flat().map(({ code }) => code)).toEqual(['signature_invalid', 'signature_invalid']);

      const endpoints = await api.get<{ id: string; url: string }[]>('/v1/endpoints');
      expect((await fill()).events).toBe(36);
      expect(await api.get('/v1/sources')).toEqual(sources);
      const moved = await api.get<{ id: string; url: string }[]>('/v1/endpoints');
      expect(moved.map(({ id }) => id)).toEqual(endpoints.map(({ id }) => id));
      expect(moved.map(({ url }) => url)).not.toEqual(endpoints.map(({ url }) => url));
    }));
});
