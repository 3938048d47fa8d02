/** Runs the snippets of the catalog as they stand, each by its own language: what a reader copies is what is tried. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const snippetFolder = join(import.meta.dirname, '../../../../services/console/snippets');

export interface SignedWebhook {
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  secret: string;
}

/** Compiling takes its time on a busy machine. */
const limitMs = 170_000;

const inNode = (call: string): string[] => [
  '--input-type=module',
  '-e',
  `const cases = JSON.parse((await import('node:fs')).readFileSync(0, 'utf8'));
const snippet = await import(process.argv[1]);
const judge = ${call};
console.log(JSON.stringify(cases.map(({ headers, body, secret }) => judge(headers, Buffer.from(body, 'base64'), secret))));`,
];

const python = `import base64, json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from verify import is_genuine
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(c["headers"], base64.b64decode(c["body"]), c["secret"]) for c in cases]))`;

const go = `package main

import (
	"encoding/json"
	"net/http"
	"os"

	"example.com/receiver/webhooks"
)

func main() {
	var cases []struct {
		Headers map[string]string
		Body    []byte
		Secret  string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, one := range cases {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		verdicts = append(verdicts, webhooks.IsGenuine(headers, one.Body, one.Secret))
	}
	_ = json.NewEncoder(os.Stdout).Encode(verdicts)
}
`;

/** Which of the webhooks each snippet takes. */
export const judgments: Readonly<Record<string, (webhooks: readonly SignedWebhook[]) => boolean[]>> = {
  'verify.mjs': (webhooks) =>
    run(process.execPath, [...inNode('snippet.isGenuine'), join(snippetFolder, 'verify.mjs')], webhooks),
  ...Object.fromEntries(
    ['with-standard-webhooks.mjs', 'with-svix.mjs', 'with-stripe.mjs'].map((file) => [
      file,
      (webhooks: readonly SignedWebhook[]) =>
        run(
          process.execPath,
          [
            ...inNode(
              '(...given) => { try { return snippet.readWebhook(...given) !== undefined; } catch { return false; } }',
            ),
            join(snippetFolder, file),
          ],
          webhooks,
        ),
    ]),
  ),
  'verify.py': (webhooks) => run('python3', ['-c', python, snippetFolder], webhooks),
  'verify.go': inGo,
};

function inGo(webhooks: readonly SignedWebhook[]): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-snippet-'));
  try {
    const packageFolder = mkdtempSync(join(folder, 'webhooks'));
    copyFileSync(join(snippetFolder, 'verify.go'), join(packageFolder, 'verify.go'));
    const name = packageFolder.slice(folder.length + 1);
    writeFileSync(join(folder, 'go.mod'), 'module example.com/receiver\n\ngo 1.21\n');
    writeFileSync(join(folder, 'main.go'), go.replace('receiver/webhooks', `receiver/${name}`));
    return run('go', ['run', '.'], webhooks, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether there is the program at all. */
export const isThere = (program: string): boolean =>
  spawnSync(program, [program === 'go' ? 'version' : '--version']).error === undefined;

function run(program: string, args: readonly string[], webhooks: readonly SignedWebhook[], cwd?: string): boolean[] {
  const input = JSON.stringify(webhooks.map(({ body, ...rest }) => ({ ...rest, body: body.toString('base64') })));
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    timeout: limitMs,
    ...(cwd !== undefined && { cwd }),
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${error?.message ?? stderr}`);
  return JSON.parse(stdout) as boolean[];
}
