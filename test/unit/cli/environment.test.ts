import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../../../services/cli/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what the local stack has written is taken where the environment says nothing', () => {
  const file = join(folder, 'local.env');
  writeFileSync(file, 'HOOKLINE_API_URL=http://127.0.0.1:8081\nHOOKLINE_ADMIN_KEY=from-the-file\n');
  expect(environment(file, { HOOKLINE_ADMIN_KEY: 'from-the-environment' })).toEqual({
    HOOKLINE_API_URL: 'http://127.0.0.1:8081',
    HOOKLINE_ADMIN_KEY: 'from-the-environment',
  });
});

test('without a local stack there is the environment alone', () => {
  expect(environment(join(folder, 'none'), { HOOKLINE_ADMIN_KEY: 'k' })).toEqual({ HOOKLINE_ADMIN_KEY: 'k' });
});
