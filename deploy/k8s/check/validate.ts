import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StackError } from '../../local/failure.ts';
import type { Validators } from './provide-validators.ts';
import { apiVersionOf, type Manifest, nameOf } from './render.ts';

const run = promisify(execFile);

/** The oldest that the manifests are for. Kubernetes takes nothing out of an API version: what is valid there is valid in later ones. */
const kubernetesVersion = '1.30';

type Ended = { exitCode: number; stdout: string; stderr: string };

/** @returns what is wrong, a line each; empty where all of it is valid */
export async function validate(manifests: readonly Manifest[], validators: Validators): Promise<string[]> {
  const isStrimzi = (manifest: Manifest): boolean => apiVersionOf(manifest).startsWith('kafka.strimzi.io/');
  return [
    ...(await bySchemas(
      manifests.filter((manifest) => !isStrimzi(manifest)),
      validators,
    )),
    ...(await byStrimzi(manifests.filter(isStrimzi), validators)),
  ];
}

async function bySchemas(manifests: readonly Manifest[], validators: Validators): Promise<string[]> {
  if (manifests.length === 0) return [];
  const dir = mkdtempSync(join(tmpdir(), 'hookline-k8s-'));
  try {
    const file = join(dir, 'manifests.yaml');
    writeFileSync(file, manifests.join('\n---\n'));
    const { stdout, stderr } = await ended(validators.kubectlValidate, [
      ...['--version', kubernetesVersion, '--local-crds', validators.definitions, '--output', 'json'],
      file,
    ]);
    const [results] = Object.values(parse(stdout, stderr));
    if (results?.length !== manifests.length)
      throw new StackError(
        `kubectl-validate checked ${results?.length ?? 0} of ${manifests.length} objects: ${stderr}`,
      );
    return results.flatMap(({ status, message }, index) =>
      status === 'Success' ? [] : [`${nameOf(manifests[index] ?? '')}: ${message ?? 'refused without a reason'}`],
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The result for each object, in order, by file. */
function parse(stdout: string, stderr: string): Record<string, { status: string; message?: string }[]> {
  try {
    return JSON.parse(stdout) as ReturnType<typeof parse>;
  } catch (error) {
    throw new StackError(`kubectl-validate failed: ${stderr}${stdout}`, { cause: error });
  }
}

async function byStrimzi(manifests: readonly Manifest[], { java, strimziClasses }: Validators): Promise<string[]> {
  if (manifests.length === 0) return [];
  const program = join(import.meta.dirname, 'StrimziCheck.java');
  const { exitCode, stdout, stderr } = await ended(
    java,
    ['-Dslf4j.internal.verbosity=ERROR', '-cp', strimziClasses, program],
    manifests.join('\n---\n'),
  );
  const problems = stdout.split('\n').filter((line) => line !== '');
  if (exitCode === 0 ? problems.length > 0 || stderr !== '' : problems.length === 0)
    throw new StackError(`StrimziCheck.java failed: ${stderr}${stdout}`);
  return problems;
}

async function ended(program: string, args: readonly string[], input = ''): Promise<Ended> {
  const running = run(program, args, { maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.end(input);
  try {
    return { exitCode: 0, ...(await running) };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { exitCode: code, stdout, stderr };
  }
}
