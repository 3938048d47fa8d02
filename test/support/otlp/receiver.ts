import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type ExportedSpan, readSpans } from './read-spans.ts';

export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: readonly ExportedSpan[];
  /** Every request that was a batch of spans. */
  readonly requests: readonly { path: string; headers: IncomingHttpHeaders }[];
  /** Sets the answer to the next batches; `hang`: none. */
  answer(how: number | 'hang'): void;
  stop(): Promise<void>;
}

/** A collector: accepts traces by OTLP over HTTP in Protocol Buffers, and keeps those that it answered with 200. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ExportedSpan[] = [];
  const requests: OtlpReceiver['requests'][number][] = [];
  let how: number | 'hang' = 200;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      requests.push({ path, headers });
      if (how === 'hang') return;
      const isTrace = path === '/v1/traces' && headers['content-type'] === 'application/x-protobuf';
      const status = isTrace ? how : 400;
      if (status === 200) {
        const body = Buffer.concat(chunks);
        spans.push(...readSpans(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
      }
      // An ExportTraceServiceResponse without a partial success has no field.
      response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    answer: (given) => (how = given),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
