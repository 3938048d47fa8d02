/**
 * OpenTelemetry's own variables, those that are heeded here. By its specification an empty variable is one that is not set. Traces are off
 * where neither an endpoint nor an exporter is named; the specification would send them to localhost.
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
    flag('OTEL_SDK_DISABLED', { default: 'false', help: 'true: no traces, whatever else is set' }),
  ),
  tracesExporter: text('OTEL_TRACES_EXPORTER', {
    default: '',
    pattern: /^(otlp|none)?$/,
    help: 'otlp or none; empty: otlp where an endpoint is set, else none',
  }),
  otlpEndpoint: text('OTEL_EXPORTER_OTLP_ENDPOINT', {
    default: '',
    pattern: url,
    help: 'the collector that traces are sent to, without `/v1/traces`; empty: http://localhost:4318 where `OTEL_TRACES_EXPORTER=otlp`',
  }),
  otlpTracesEndpoint: text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', {
    default: '',
    pattern: url,
    help: 'the whole URL that traces are sent to, in place of the one before',
  }),
  otlpProtocol: emptyIsUnset(
    oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', protocols, { default: 'http/protobuf', help: 'the only one there is' }),
  ),
  otlpTracesProtocol: emptyIsUnset(
    oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', protocols, { default: 'http/protobuf', help: 'the only one there is' }),
  ),
  otlpHeaders: pairs('OTEL_EXPORTER_OTLP_HEADERS', {
    default: '',
    secret: true,
    help: 'headers to the collector as `name=value`, by comma, percent-encoded',
  }),
  otlpTracesHeaders: pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', {
    default: '',
    secret: true,
    help: 'the same for traces alone; they win',
  }),
  otlpCompression: emptyIsUnset(
    oneOf('OTEL_EXPORTER_OTLP_COMPRESSION', ['none', 'gzip'], {
      default: 'none',
      help: 'of what is sent to the collector',
    }),
  ),
  otlpTimeoutMs: emptyIsUnset(
    integer('OTEL_EXPORTER_OTLP_TIMEOUT', {
      default: '10000',
      min: 1,
      max: 600_000,
      help: 'milliseconds that the collector has to take a batch, retries included; then its spans are lost, and counted',
    }),
  ),
  tracesSampler: emptyIsUnset(
    oneOf('OTEL_TRACES_SAMPLER', samplers, {
      default: 'parentbased_always_on',
      help: 'which traces are recorded; `parentbased_`: as the sender’s `traceparent` says, where it has one',
    }),
  ),
  tracesSamplerArg: text('OTEL_TRACES_SAMPLER_ARG', {
    default: '',
    pattern: /^$|^(0|1|0?\.\d+|1\.0+|0\.0+)$/,
    help: 'the part that a `traceidratio` records, from 0 to 1; empty: 1',
  }),
  tracesServiceName: text('OTEL_SERVICE_NAME', {
    default: '',
    help: 'what traces call this process; empty: `hookline-` and the service',
  }),
  tracesResource: pairs('OTEL_RESOURCE_ATTRIBUTES', {
    default: '',
    help: 'what else they say of it, as `name=value`, by comma, percent-encoded',
  }),
  tracesMaxQueued: emptyIsUnset(
    integer('OTEL_BSP_MAX_QUEUE_SIZE', {
      default: '2048',
      min: 1,
      max: 1_000_000,
      help: 'spans that wait for the collector; beyond it they are dropped, and counted',
    }),
  ),
  tracesDelayMs: emptyIsUnset(
    integer('OTEL_BSP_SCHEDULE_DELAY', {
      default: '5000',
      min: 1,
      max: 600_000,
      help: 'milliseconds for which spans are collected before they are sent',
    }),
  ),
};

export type TracingConfig = ConfigOf<typeof tracingFields>;

export const tracingRelations = (config: TracingConfig): Problem[] => [
  ...(config.tracesSamplerArg !== '' && !config.tracesSampler.endsWith('traceidratio')
    ? [`OTEL_TRACES_SAMPLER_ARG is of no use where OTEL_TRACES_SAMPLER=${config.tracesSampler}`]
    : []),
  ...headerProblems('OTEL_EXPORTER_OTLP_HEADERS', config.otlpHeaders),
  ...headerProblems('OTEL_EXPORTER_OTLP_TRACES_HEADERS', config.otlpTracesHeaders),
];

/** Else no batch would ever leave, and nobody be told why. */
function headerProblems(variable: string, headers: Readonly<Record<string, string>>): Problem[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch {
      return [`${variable}: ${JSON.stringify(name)} or its value is none that HTTP has`];
    }
  });
}
