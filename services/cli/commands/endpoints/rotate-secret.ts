import { tenantHelp } from '../../connect.ts';
import { rotateSecret, rotateSecretHelp } from '../../rotate-secret.ts';

export const help = `usage: hookline endpoints rotate-secret <id>

Prints the new secret: this is the only time that it is shown. Until the overlap has passed, deliveries are signed
with both: the receiver can change over at any time.

${rotateSecretHelp}
  --secret TEXT                the receiver's new one, where it has made one (default: a new one)
${tenantHelp('endpoints')}`;

export const run = (args: readonly string[]): Promise<number> => rotateSecret('endpoints', args);
