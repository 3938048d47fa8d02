import { type ProtobufMessage, readProtobuf } from './protobuf-reader.ts';

export interface ExportedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first of a trace. */
  parentSpanId: string;
  name: string;
  kind: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  startedAtNs: bigint;
  endedAtNs: bigint;
  attributes: Readonly<Record<string, string | number | boolean>>;
  links: readonly { traceId: string; spanId: string }[];
  isError: boolean;
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const errorCode = 2n;

/**
 * An ExportTraceServiceRequest (opentelemetry-proto 1.x: collector/trace/v1/trace_service.proto, trace/v1/trace.proto, common/v1/common.proto).
 */
export function readSpans(request: Buffer): ExportedSpan[] {
  return readProtobuf(request)
    .messages(1)
    .flatMap((resourceSpans) => {
      const [resource] = resourceSpans.messages(1);
      const service = String(resource === undefined ? '' : attributesOf(resource.messages(1))['service.name']);
      const scopes = resourceSpans.messages(2);
      return scopes.flatMap((scope) => scope.messages(2)).map((span) => readSpan(service, span));
    });
}

const readSpan = (service: string, span: ProtobufMessage): ExportedSpan => ({
  service,
  traceId: hex(span.bytes(1)),
  spanId: hex(span.bytes(2)),
  parentSpanId: hex(span.bytes(4)),
  name: span.text(5),
  kind: kinds[Number(span.number(6) ?? 0n)] ?? 'unspecified',
  startedAtNs: span.number(7) ?? 0n,
  endedAtNs: span.number(8) ?? 0n,
  attributes: attributesOf(span.messages(9)),
  links: span.messages(13).map((link) => ({ traceId: hex(link.bytes(1)), spanId: hex(link.bytes(2)) })),
  isError: span.messages(15)[0]?.number(3) === errorCode,
});

const hex = (bytes: Buffer | undefined): string => bytes?.toString('hex') ?? '';

const attributesOf = (pairs: readonly ProtobufMessage[]): Record<string, string | number | boolean> =>
  Object.fromEntries(pairs.map((pair) => [pair.text(1), valueOf(pair.messages(2)[0])]));

/** An AnyValue: text, boolean, number, double; lists and the rest are not used here. */
function valueOf(value: ProtobufMessage | undefined): string | number | boolean {
  const [flag, integer, double] = [value?.number(2), value?.number(3), value?.bytes(4)];
  if (flag !== undefined) return flag === 1n;
  if (integer !== undefined) return Number(BigInt.asIntN(64, integer));
  if (double !== undefined) return double.readDoubleLE();
  return value?.text(1) ?? '';
}
