import { tenantHelp } from '../../connect.ts';
import { rotateSecret, rotateSecretHelp } from '../../rotate-secret.ts';

export const help = `usage: hookline sources rotate-secret <id>

Prints the new secret: this is the only time that it is shown. Both are valid until the overlap has passed.

${rotateSecretHelp}
  --secret TEXT                the provider's new one, where it has made one (default: a new one)
${tenantHelp('sources')}`;

export const run = (args: readonly string[]): Promise<number> => rotateSecret('sources', args);
