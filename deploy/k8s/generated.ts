import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { topicDefinitions } from '#lib/contract';

const deploy = join(import.meta.dirname, '..');
const folders = { rules: join(deploy, 'prometheus/rules'), dashboards: join(deploy, 'grafana/dashboards') };

/** The defaults of `hookline setup` in production. */
const sizing = { topicPrefix: 'hookline.', partitions: 12, replicationFactor: 3 };

const header = (source: string): string => `# Made from ${source} by \`npm run docs:write\`.\n`;
const filesOf = (folder: string, extension: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .sort();

/**
 * Manifests that repeat what is defined elsewhere: their text by file below deploy/. kustomize can't read TypeScript, nor files outside of
 * its own folder, so they are generated.
 */
export const generatedManifests = (): Readonly<Record<string, string>> => ({
  'k8s/kafka/topics.yaml': kafkaTopics(),
  'k8s/monitoring/rules.yaml': prometheusRules(),
  'grafana/kustomization.yaml': dashboards(),
});

function kafkaTopics(): string {
  const topics = topicDefinitions(sizing).map(
    ({ name, partitions, replicationFactor, config = {} }) => `apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: ${name}
  labels: { strimzi.io/cluster: hookline }
spec:
  partitions: ${partitions}
  replicas: ${replicationFactor}
  config:
${Object.entries(config)
  .map(([key, value]) => `    ${key}: ${value}\n`)
  .join('')}`,
  );
  return header('libs/contract/topic-definitions.ts') + topics.join('---\n');
}

/** A file of rules is what a PrometheusRule has as its spec. */
function prometheusRules(): string {
  const rules = filesOf(folders.rules, '.yml').map(
    (file) => `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: hookline-${file.replace(/\.yml$/, '')}
spec:
${readFileSync(join(folders.rules, file), 'utf8').replace(/^(?=.)/gm, '  ')}`,
  );
  return header('deploy/prometheus/rules') + rules.join('---\n');
}

/** One ConfigMap each, as Grafana's sidecar looks for them: all of them in one might be more than a ConfigMap holds. */
function dashboards(): string {
  const names = filesOf(folders.dashboards, '.json').map((file) => file.replace(/\.json$/, ''));
  const generators = names.map(
    (name) => `  - { name: hookline-dashboard-${name}, files: [dashboards/${name}.json] }\n`,
  );
  return `${header('deploy/grafana/dashboards')}apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
generatorOptions:
  disableNameSuffixHash: true
  labels: { grafana_dashboard: '1' }
configMapGenerator:${generators.length === 0 ? ' []\n' : `\n${generators.join('')}`}`;
}
