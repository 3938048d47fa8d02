import { type ConsoleClient } from '../../support/console/console-client.ts';
import { type ConsoleWorld, type Furnished, furnish, startConsoleWorld } from '../../support/console/console-world.ts';

/** The scene that the groups of tests share: two tenants with one of everything, one with nothing, and who looks at them. */
export interface Scene {
  world: ConsoleWorld;
  mine: Furnished;
  theirs: Furnished;
  empty: string;
  /** Signed in with all scopes of `mine`. */
  me: ConsoleClient;
  /** With the scope `read` alone. */
  reader: ConsoleClient;
  nobody: ConsoleClient;
  operator: ConsoleClient;
}

export async function setScene(options: Parameters<typeof startConsoleWorld>[0] = {}): Promise<Scene> {
  const world = await startConsoleWorld(options);
  try {
    const [mine, theirs] = await furnish(world, ['mine', 'theirs']);
    if (mine === undefined || theirs === undefined) throw new Error('no tenants');
    const [me, reader] = await Promise.all([world.signIn('mine'), world.signIn('mine', ['read'])]);
    return { world, mine, theirs, me, reader, empty: 'empty', nobody: world.nobody, operator: world.operator };
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    failure.message += `\n${world.pipeline.describe()}`;
    await world.close();
    throw failure;
  }
}
