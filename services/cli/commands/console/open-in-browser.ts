import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };

/** @returns whether the program that opens URLs on this machine was started; it outlives the command */
export const openInBrowser = (url: string, opener: string | undefined = openers[process.platform]): Promise<boolean> =>
  new Promise((resolve) => {
    if (opener === undefined) return resolve(false);
    const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
