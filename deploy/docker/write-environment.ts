import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, say } from '../local/command.ts';
import { chosenPortOffset } from '../local/config.ts';
import { writeKeyValueFile } from '../local/key-value-file.ts';
import { hooklineDir, stackFiles } from '../local/paths.ts';
import { portsAt } from '../local/ports.ts';
import { provideSecrets } from '../local/secrets.ts';
import { composeEnvironment } from './compose-environment.ts';

/** Writes what docker-compose.yml needs to `.hookline/compose.env`; `HOOKLINE_PORT_OFFSET=n` moves all ports. Again does no harm. */
await runCommand(async () => {
  mkdirSync(hooklineDir, { recursive: true });
  const offset = chosenPortOffset() ?? 0;
  const file = join(hooklineDir, 'compose.env');
  writeKeyValueFile(file, composeEnvironment(portsAt(offset), provideSecrets(stackFiles.secrets), offset));
  say(`${file} is written; next: docker compose --env-file .hookline/compose.env up --build --wait`);
});
