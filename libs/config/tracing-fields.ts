/**
 * The OpenTelemetry variables that Hookline supports. As in its specification, an empty variable counts as unset. Traces are off
 * unless an endpoint or an exporter is set; the specification would send them to localhost.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type ConfigOf, type Field, flag, integer, oneOf, pairs, type Problem, text } from './fields.ts';

const emptyIsUnset = <T>(field: Field<T>): Field<T> => ({
  ...field,
  parse: (given) => field.parse(given === '' ? (field.defaultText ?? '') : given),
});

const url = /^$|^https?:\/\/\S+$/;
const protocols = ['http/protobuf'] as const;

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const tracingFields = {
  tracesDisabled: emptyIsUnset(
    flag('OTEL_SDK_DISABLED', { default: 'false', help: 'true turns tracing off, whatever else is set' }),
  ),
  tracesExporter: text('OTEL_TRACES_EXPORTER', {
    default: '',
    pattern: /^(otlp|none)?$/,
    help: '`otlp` or `none`; empty: otlp if an endpoint is set, else none',
  }),
  otlpEndpoint: text('OTEL_EXPORTER_OTLP_ENDPOINT', {
    default: '',
    pattern: url,
    help: 'URL of the collector, without `/v1/traces`; empty: http://localhost:4318 with `OTEL_TRACES_EXPORTER=otlp`',
  }),
  otlpTracesEndpoint: text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', {
    default: '',
    pattern: url,
    help: 'complete URL for traces; overrides OTEL_EXPORTER_OTLP_ENDPOINT',
  }),
  otlpProtocol: emptyIsUnset(
    oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', protocols, { default: 'http/protobuf', help: 'the only supported protocol' }),
  ),
  otlpTracesProtocol: emptyIsUnset(
    oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', protocols, {
      default: 'http/protobuf',
      help: 'the only supported protocol',
    }),
  ),
  otlpHeaders: pairs('OTEL_EXPORTER_OTLP_HEADERS', {
    default: '',
    secret: true,
    help: 'headers for the collector, comma-separated `name=value`, percent-encoded',
  }),
  otlpTracesHeaders: pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', {
    default: '',
    secret: true,
    help: 'headers for traces; they override OTEL_EXPORTER_OTLP_HEADERS',
  }),
  otlpCompression: emptyIsUnset(
    oneOf('OTEL_EXPORTER_OTLP_COMPRESSION', ['none', 'gzip'], {
      default: 'none',
      help: 'compression of requests to the collector',
    }),
  ),
  otlpTimeoutMs: emptyIsUnset(
    integer('OTEL_EXPORTER_OTLP_TIMEOUT', {
      default: '10000',
      min: 1,
      max: 600_000,
      help: 'milliseconds to export a batch, retries included; after that its spans are dropped, and counted',
    }),
  ),
  tracesSampler: emptyIsUnset(
    oneOf('OTEL_TRACES_SAMPLER', samplers, {
      default: 'parentbased_always_on',
      help: 'sampler; `parentbased_…` follows the decision in the `traceparent` of the sender, if there is one',
    }),
  ),
  tracesSamplerArg: text('OTEL_TRACES_SAMPLER_ARG', {
    default: '',
    pattern: /^$|^(0|1|0?\.\d+|1\.0+|0\.0+)$/,
    help: 'sampling ratio of `traceidratio`, 0 to 1; empty: 1',
  }),
  tracesServiceName: text('OTEL_SERVICE_NAME', {
    default: '',
    help: 'service name in traces; empty: `hookline-` and the name of the service',
  }),
  tracesResource: pairs('OTEL_RESOURCE_ATTRIBUTES', {
    default: '',
    help: 'more resource attributes, comma-separated `name=value`, percent-encoded',
  }),
  tracesMaxQueued: emptyIsUnset(
    integer('OTEL_BSP_MAX_QUEUE_SIZE', {
      default: '2048',
      min: 1,
      max: 1_000_000,
      help: 'maximum number of spans queued for export; further spans are dropped, and counted',
    }),
  ),
  tracesDelayMs: emptyIsUnset(
    integer('OTEL_BSP_SCHEDULE_DELAY', {
      default: '5000',
      min: 1,
      max: 600_000,
      help: 'milliseconds between two exports',
    }),
  ),
};

export type TracingConfig = ConfigOf<typeof tracingFields>;

export const tracingRelations = (config: TracingConfig): Problem[] => [
  ...(config.tracesSamplerArg !== '' && !config.tracesSampler.endsWith('traceidratio')
    ? [`OTEL_TRACES_SAMPLER_ARG has no effect with OTEL_TRACES_SAMPLER=${config.tracesSampler}`]
    : []),
  ...headerProblems('OTEL_EXPORTER_OTLP_HEADERS', config.otlpHeaders),
  ...headerProblems('OTEL_EXPORTER_OTLP_TRACES_HEADERS', config.otlpTracesHeaders),
];

/** Reported at start, because an invalid header would make every export fail. */
function headerProblems(variable: string, headers: Readonly<Record<string, string>>): Problem[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch {
      return [`${variable}: ${JSON.stringify(name)} or its value is not valid in HTTP`];
    }
  });
}
