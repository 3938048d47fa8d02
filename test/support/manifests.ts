import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Fields } from '#lib/config';

export const root = join(import.meta.dirname, '../..');

/** As much of a Kubernetes object as tests look at. */
export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec: Record<string, unknown>;
}

/** A container of a pod's template. */
export interface Container {
  args: string[];
  ports: { name: string; containerPort: number }[];
  env?: { name: string }[];
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  securityContext?: unknown;
}

/** The objects in the files below deploy/k8s that a pattern names, as they are written: no patch of a kustomization is in them. */
export function readManifests(pattern: string): Manifest[] {
  const folder = join(root, 'deploy/k8s');
  return globSync(pattern, { cwd: folder })
    .sort()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS() as Manifest);
}

export const templateOf = ({ spec }: Manifest) =>
  (spec as { template: { spec: { terminationGracePeriodSeconds?: number; containers: Container[] } } }).template.spec;

export function containerOf(manifest: Manifest): Container {
  const [container] = templateOf(manifest).containers;
  if (container === undefined) throw new Error(`${manifest.metadata.name} has no container`);
  return container;
}

/**
 * The settings that a process needs if the stores are on other machines: those without a default, and those that default to this machine.
 */
export const neededElsewhere = (fields: Fields): string[] =>
  Object.values(fields)
    .filter(({ defaultText }) => defaultText === undefined || defaultText.includes('127.0.0.1'))
    .map(({ env }) => env);
