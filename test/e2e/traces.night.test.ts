import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import { createApiClient } from '../support/api-client.ts';
import { httpPost } from '../support/http-post.ts';
import type { ExportedSpan } from '../support/otlp/read-spans.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp/receiver.ts';
import { faultsOfTree, pathOf } from '../support/otlp/span-tree.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts';
import { signAsHookline } from '../support/sign-webhook.ts';
import { pipelineServices, type ServiceName } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

const timeoutMs = 40_000;
const senderSpan = 'b7ad6b7169203331';
const traceIds = {
  sampled: '0af7651916cd43dd8448eb211c80319c',
  unsampled: '1bf7651916cd43dd8448eb211c80319c',
  published: '2cf7651916cd43dd8448eb211c80319c',
  away: '3df7651916cd43dd8448eb211c80319c',
};
const traceparentOf = (traceId: string, flags = '01'): string => `00-${traceId}-${senderSpan}-${flags}`;

/** One webhook, and one event of the API, from their senders’ spans through all five services to the receiver’s header. */
describe('a trace', () => {
  let collector: OtlpReceiver;
  let receiver: Receiver;
  let pipeline: OwnPipeline;
  let source: { ingest_url: string; secret: string };
  const lines = new Map<string, Record<string, unknown>[]>();
  /** Lines wait for others, for 250 ms at the most. */
  const untilTold = (service: string, is: (line: Record<string, unknown>) => boolean): Promise<unknown> =>
    waitUntil(`the line of ${service}`, () => lines.get(service)?.some(is) ?? false);
  const requests: ReceivedRequest[] = [];

  beforeAll(async () => {
    [collector, receiver] = await Promise.all([startOtlpReceiver(), startReceiver()]);
    receiver.react((request) => {
      requests.push(request);
      return { status: request.name.startsWith('third time') && request.attempt < 3 ? 503 : 200 };
    });
    pipeline = await startOwnPipeline({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_BSP_SCHEDULE_DELAY: '200',
        HOOKLINE_LOG_LEVEL: 'debug',
      },
      onLine: (name, line) => {
        if (!line.startsWith('{')) return;
        lines.set(name, [...(lines.get(name) ?? []), JSON.parse(line) as Record<string, unknown>]);
      },
    });
    const api = createApiClient({ url: pipeline.stack.apiUrl, adminKey: pipeline.stack.adminKey });
    source = await api.createSource({ name: 'traced', scheme: 'hookline' });
    await api.createEndpoint({
      url: `${receiver.url('third time')}?token=a-secret-of-the-url`,
      event_types: ['webhook'],
      retry: { base_seconds: 0.2, cap_seconds: 0.2 },
    });
    await api.createEndpoint({ url: receiver.url('well'), event_types: ['order.paid'] });
    await delay(endpointSettlingMs + 500);
  });
  afterAll(async () => {
    await pipeline?.close();
    await Promise.all([collector?.stop(), receiver?.stop()]);
  });

  async function sendWebhook(traceparent: string): Promise<void> {
    const body = Buffer.from(JSON.stringify({ id: traceparent, note: 'the payload' }));
    const signature = signAsHookline(source.secret, body, Math.floor(Date.now() / 1000));
    const headers = { 'content-type': 'application/json', traceparent, ...signature };
    const { status } = await httpPost({ url: source.ingest_url, headers, body, timeoutMs });
    expect(status).toBe(202);
  }

  /** The endpoint's requests with this trace in their header. */
  const arrivals = (traceId: string): ReceivedRequest[] =>
    requests.filter(({ headers }) => String(headers['traceparent']).includes(traceId));
  const spansOf = (traceId: string): ExportedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  const attemptsOf = (traceId: string): ExportedSpan[] =>
    spansOf(traceId)
      .filter(({ kind }) => kind === 'client')
      .sort((a, b) => Number(a.startedAtNs - b.startedAtNs));

  /** The last that a trace has is the transaction that projects its end: none comes once no other has for a while. */
  async function allSpansOf(traceId: string, attempts: number): Promise<ExportedSpan[]> {
    await waitUntil('it is delivered', () => arrivals(traceId).length >= attempts);
    let count = -1;
    let quietSince = Date.now();
    await waitUntil('its spans are all exported', () => {
      const spans = spansOf(traceId);
      if (spans.length !== count) [count, quietSince] = [spans.length, Date.now()];
      const lastAttempt = attemptsOf(traceId)[attempts - 1];
      if (lastAttempt === undefined) return false;
      // The transaction may be that of the event too: its span is called by the first of its topics.
      const isProjected = spans.some(
        ({ service, name, startedAtNs }) =>
          service === 'hookline-projector' && name.startsWith('process') && startedAtNs > lastAttempt.startedAtNs,
      );
      return isProjected && Date.now() - quietSince > 2_000;
    });
    return spansOf(traceId);
  }

  /** Without the prefix of this run. */
  const plain = (text: string): string => text.replaceAll(pipeline.stack.topicPrefix, '');
  const paths = (spans: readonly ExportedSpan[]): string[][] => spans.map((span) => pathOf(span, spans).map(plain));

  it('is one, from the sender to the third attempt: one tree, in every log, and in the receiver’s header', () =>
    pipeline.explain(async () => {
      const { sampled: traceId } = traceIds;
      await sendWebhook(traceparentOf(traceId));
      const spans = await allSpansOf(traceId, 3);

      expect(faultsOfTree(spans, { traceId, parentSpanId: senderSpan })).toEqual([]);
      const received = 'hookline-ingress: POST /v1/webhooks/:source_id';
      const settled = [received, 'hookline-dedup: process webhooks.received'];
      expect(paths(spans)).toEqual(
        expect.arrayContaining([
          [received],
          [received, 'hookline-ingress: send webhooks.received'],
          settled,
          [...settled, 'hookline-dedup: send events'],
          [...settled, 'hookline-dedup: send deliveries'],
          [...settled, 'hookline-dispatcher: POST'],
          [...settled, 'hookline-dispatcher: send delivery.attempts'],
          [...settled, 'hookline-projector: process events'],
          [...settled, 'hookline-projector: process delivery.attempts'],
        ]),
      );

      const attempts = attemptsOf(traceId);
      expect(attempts).toMatchObject([
        { service: 'hookline-dispatcher', name: 'POST', isError: true, attributes: { 'hookline.attempt': 1 } },
        { isError: true, attributes: { 'hookline.attempt': 2, 'http.request.resend_count': 1 } },
        { isError: false, attributes: { 'hookline.attempt': 3, 'http.request.resend_count': 2 } },
      ]);
      expect(attempts.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([503, 503, 200]);
      // The receiver's own spans become children of the attempt's.
      expect(arrivals(traceId).map(({ headers }) => headers['traceparent'])).toEqual(
        attempts.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
      );
      // A span is around the work itself: the attempt lies within what the sender had to wait for.
      for (const { startedAtNs, endedAtNs } of spans) expect(endedAtNs).toBeGreaterThanOrEqual(startedAtNs);

      const eventId = attempts[0]?.attributes['hookline.event.id'];
      for (const service of ['dedup', 'dispatcher', 'projector'] satisfies ServiceName[])
        await untilTold(service, (line) => line['traceId'] === traceId && line['eventId'] === eventId);
      await untilTold('ingress', (line) => line['event'] === 'webhook.accepted' && line['traceId'] === traceId);
      await untilTold('dispatcher', (line) => line['attempt'] === 3);
      const told = lines.get('dispatcher')?.filter(({ event }) => event === 'delivery.attempted');
      expect(told?.map((line) => [line['traceId'], line['attempt']])).toEqual([1, 2, 3].map((n) => [traceId, n]));
    }));

  it('tells no payload, no secret and no query, and goes to the collector with its header', () => {
    const told = JSON.stringify(collector.spans, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(collector.spans.length).toBeGreaterThan(0);
    for (const secret of ['the payload', source.secret, 'whsec_', 'a-secret-of-the-url', pipeline.stack.adminKey])
      expect(told).not.toContain(secret);
    for (const { path, headers } of collector.requests)
      expect([path, headers['x-key'], headers['content-encoding']]).toEqual(['/v1/traces', 'a key', 'gzip']);
  });

  it('is found from the histograms, by who asks for OpenMetrics; the plain format is as ever', () =>
    pipeline.explain(async () => {
      const { sampled: traceId } = traceIds;
      const read = async (service: ServiceName, accept: string): Promise<string> =>
        (await fetch(pipeline.metricsUrl(service), { headers: { accept } })).text();
      const wanted = [
        ['ingress', 'hookline_ingress_ack_seconds'],
        ['dispatcher', 'hookline_delivery_attempt_seconds'],
        ['dispatcher', 'hookline_delivery_end_to_end_seconds'],
        ['projector', 'hookline_projector_transaction_seconds'],
      ] as const;
      for (const [service, metric] of wanted) {
        const open = await read(service, 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5');
        expect(open).toMatch(
          new RegExp(`^${metric}_bucket\\{.*\\} \\d+ # \\{trace_id="${traceId}",span_id="\\w{16}"\\}`, 'm'),
        );
        const plainText = await read(service, 'text/plain');
        expect(plainText).toContain(`# TYPE ${metric} histogram\n`);
        expect(plainText).not.toContain(traceId);
        expect(plainText).toMatch(/^hookline_trace_spans_total\{outcome="exported"\} [1-9]/m);
      }
    }));

  it('that its sender does not sample is handed on, and exported nowhere', () =>
    pipeline.explain(async () => {
      const { unsampled: traceId } = traceIds;
      await sendWebhook(traceparentOf(traceId, '00'));
      await waitUntil('it is delivered', () => arrivals(traceId).length >= 3);
      // One that is sampled comes after it, and is seen whole.
      await publish(traceparentOf(traceIds.published));
      await allSpansOf(traceIds.published, 1);
      expect(arrivals(traceId).map(({ headers }) => String(headers['traceparent']).slice(-2))).toEqual([
        '00',
        '00',
        '00',
      ]);
      expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
      expect(collector.spans.flatMap(({ links }) => links).filter((link) => link.traceId === traceId)).toEqual([]);
      for (const service of ['ingress', 'dedup', 'dispatcher', 'projector'] satisfies ServiceName[])
        await untilTold(service, (line) => line['traceId'] === traceId);
    }));

  async function publish(traceparent: string): Promise<void> {
    const { apiUrl, adminKey } = pipeline.stack;
    const { status } = await fetch(`${apiUrl}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ type: 'order.paid', payload: { order: 1 } }),
    });
    expect(status).toBe(202);
  }

  it('of an event that is published by the API goes from the request through the outbox to the endpoint', () =>
    pipeline.explain(async () => {
      const { published: traceId } = traceIds;
      const spans = await allSpansOf(traceId, 1);
      expect(faultsOfTree(spans, { traceId, parentSpanId: senderSpan })).toEqual([]);
      const asked = 'hookline-api: POST /v1/events';
      expect(paths(spans)).toEqual(
        expect.arrayContaining([
          [asked],
          [asked, 'hookline-api: send events'],
          [asked, 'hookline-api: send deliveries'],
          [asked, 'hookline-dispatcher: POST'],
        ]),
      );
      for (const service of ['api', 'dispatcher', 'projector'] satisfies ServiceName[])
        await untilTold(service, (line) => line['traceId'] === traceId && /^evt_/.test(String(line['eventId'])));
    }));

  it('is lost, and counted, while the collector is away; webhooks are delivered, and every service stops in order', () =>
    pipeline.explain(async () => {
      const { away: traceId } = traceIds;
      // An answer that is worth no retry; and then none, so that it is waited for when the services stop.
      collector.answer(400);
      await sendWebhook(traceparentOf(traceId));
      await waitUntil('it is delivered', () => arrivals(traceId).length >= 3);
      await waitUntil('its spans are counted', async () =>
        /_spans_total\{outcome="failed"\} [1-9]/.test(await (await fetch(pipeline.metricsUrl('ingress'))).text()),
      );
      expect(lines.get('ingress')).toContainEqual(expect.objectContaining({ event: 'traces.not_exported' }));
      collector.answer('hang');
      await sendWebhook(traceparentOf(`4${traceId.slice(1)}`));
      const beganAtMs = Date.now();
      const exits = await pipeline.stop();
      expect(Date.now() - beganAtMs).toBeLessThan(20_000);
      expect(pipelineServices.map((name) => exits[name]?.code)).toEqual(pipelineServices.map(() => 0));
      expect(spansOf(traceId)).toEqual([]);
    }));
});
