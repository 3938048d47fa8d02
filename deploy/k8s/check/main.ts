import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, say } from '../../local/command.ts';
import { StackError } from '../../local/failure.ts';
import { plant } from './mutants.ts';
import { provideValidators } from './provide-validators.ts';
import { type Manifest, render } from './render.ts';
import { validate } from './validate.ts';

/** `make k8s-check`: every overlay is rendered and valid, and defects that are put into one are seen. */
await runCommand(async () => {
  const validators = await provideValidators(say);
  const folder = join(import.meta.dirname, '../overlays');
  const problems: string[] = [];
  const rendered = new Map<string, Manifest[]>();
  for (const overlay of readdirSync(folder).sort()) {
    const manifests = await render(validators.kustomize, join(folder, overlay));
    rendered.set(overlay, manifests);
    const wrong = await validate(manifests, validators);
    say(`overlays/${overlay}: ${manifests.length} objects, ${wrong.length} of them wrong`);
    problems.push(...wrong.map((line) => `overlays/${overlay}: ${line}`));
  }
  failOn(problems);
  const planted = plant(rendered.get('production') ?? []);
  for (const [defect, manifest] of planted) {
    if ((await validate([manifest], validators)).length === 0) problems.push(`not seen: ${defect}`);
  }
  failOn(problems);
  say(`${planted.size} defects put in, each seen`);
});

function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new StackError(problems.join('\n'));
}
