import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StackError } from '../../local/failure.ts';

const run = promisify(execFile);

/** One object as YAML. */
export type Manifest = string;

/** The objects that `kubectl apply -k` would send. */
export async function render(kustomize: string, folder: string): Promise<Manifest[]> {
  try {
    const { stdout } = await run(kustomize, ['build', folder], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.split(/^---$/m).map((text) => text.trim());
  } catch (error) {
    throw new StackError(`${folder} can't be rendered: ${(error as { stderr?: string }).stderr ?? String(error)}`);
  }
}

const field = (manifest: Manifest, pattern: RegExp): string => pattern.exec(manifest)?.[1] ?? '?';

export const apiVersionOf = (manifest: Manifest): string => field(manifest, /^apiVersion: (\S+)$/m);

/** A readable name: `Deployment hookline-ingress`. */
export const nameOf = (manifest: Manifest): string =>
  `${field(manifest, /^kind: (\S+)$/m)} ${field(manifest, /^metadata:\n(?:[ ]+.*\n)*? {2}name: (\S+)$/m)}`;
