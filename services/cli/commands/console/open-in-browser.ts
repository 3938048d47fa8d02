import { spawn } from 'node:child_process';
import { platform } from 'node:os';

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };

/** @returns whether the program that opens URLs on this machine was started; it outlives the command */
export const openInBrowser = (url: string, opener: string | undefined = openers[platform()]): Promise<boolean> =>
  new Promise((resolve) => {
    if (opener === undefined) return resolve(false);
    const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
