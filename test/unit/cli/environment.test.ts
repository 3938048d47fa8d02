import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKeyValueFile, writeKeyValueFile } from '#deploy/local/key-value-file.ts';
import { stackFiles } from '#deploy/local/paths.ts';
import { environment, loadApiConfig } from '../../../services/cli/config.ts';
import { localEnvFile as fileOfStack } from '../../../services/cli/local-env.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what the local stack has written is taken where the environment says nothing', () => {
  const file = join(folder, 'local.env');
  writeFileSync(file, 'HOOKLINE_API_URL=http://127.0.0.1:8081\nHOOKLINE_ADMIN_KEY=from-the-file\n');
  expect(environment({ localEnvFile: file, env: { HOOKLINE_ADMIN_KEY: 'from-the-environment' } })).toEqual({
    HOOKLINE_API_URL: 'http://127.0.0.1:8081',
    HOOKLINE_ADMIN_KEY: 'from-the-environment',
  });
});

test('without a local stack there is the environment alone', () => {
  expect(environment({ localEnvFile: join(folder, 'none'), env: { HOOKLINE_ADMIN_KEY: 'k' } })).toEqual({
    HOOKLINE_ADMIN_KEY: 'k',
  });
});

test('the file is read where the local stack writes it, and as the stack reads it', () => {
  const file = join(folder, 'written.env');
  const values = { HOOKLINE_API_URL: 'http://127.0.0.1:8081', HOOKLINE_ADMIN_KEY: 'a=b #c "d" $e', API_PID: '' };
  writeKeyValueFile(file, values);
  expect(environment({ localEnvFile: file, env: {} })).toEqual(values);
  expect(environment({ localEnvFile: file, env: {} })).toEqual(readKeyValueFile(file));
  expect(fileOfStack).toBe(stackFiles.localEnv);
});

describe('the URL of the API', () => {
  test('is another one for commands where the settings say so, as in a pod of the api', () => {
    const env = { HOOKLINE_ADMIN_KEY: 'k', HOOKLINE_API_URL: 'https://api.example' };
    const urlWith = (HOOKLINE_CLI_API_URL: string): string =>
      loadApiConfig({ localEnvFile: join(folder, 'none'), env: { ...env, HOOKLINE_CLI_API_URL } }).apiUrl;
    expect(urlWith('')).toBe('https://api.example');
    expect(urlWith('http://127.0.0.1:8081')).toBe('http://127.0.0.1:8081');
  });
});
