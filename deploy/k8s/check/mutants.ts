import { type Manifest, nameOf } from './render.ts';

/**
 * A defect that must be detected, for each validator: one of Kubernetes' own objects, one by a resource definition, one by Strimzi's
 * classes.
 */
interface Mutant {
  /** The object that it is put into. */
  of: string;
  find: string;
  put: string;
}

const mutants: readonly Mutant[] = [
  { of: 'Deployment hookline-ingress', find: 'minReadySeconds: 10', put: 'minReadySecond: 10' },
  { of: 'Deployment hookline-dedup', find: 'runAsNonRoot: true', put: 'runAsNonRoot: maybe' },
  { of: 'PodDisruptionBudget hookline-api', find: 'policy/v1', put: 'policy/v9' },
  { of: 'NetworkPolicy hookline-dispatcher', find: 'ipBlock:', put: 'ipBlocks:' },
  { of: 'ScaledObject hookline-dedup', find: 'pollingInterval: 15', put: 'pollInterval: 15' },
  { of: 'ScaledObject hookline-dedup', find: 'behavior: currentReplicasIfHigher', put: 'behavior: guess' },
  { of: 'PodMonitor hookline', find: 'podMetricsEndpoints:', put: 'podMetricEndpoints:' },
  { of: 'PrometheusRule hookline-receiving', find: 'expr:', put: 'expression:' },
  { of: 'Kafka hookline', find: 'type: simple', put: 'type: simpel' },
  { of: 'KafkaNodePool broker', find: 'size: 200Gi', put: 'sise: 200Gi' },
  { of: 'KafkaTopic hookline.events', find: 'partitions: 12', put: 'partitions: twelve' },
  { of: 'KafkaUser hookline-reader', find: '- Describe', put: '- Descrybe' },
];

/** Each defect, by its description, in its object. Throws if the object is missing. */
export function plant(manifests: readonly Manifest[]): Map<string, Manifest> {
  return new Map(
    mutants.map(({ of, find, put }) => {
      const whole = manifests.find((manifest) => nameOf(manifest) === of);
      if (!whole?.includes(find)) throw new Error(`no ${JSON.stringify(find)} in ${of}: deploy/k8s/check/mutants.ts`);
      return [`${of} with ${put}`, whole.replace(find, () => put)];
    }),
  );
}
