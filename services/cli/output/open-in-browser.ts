import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** By the program of the platform. Where there is none, nothing happens: the link is printed anyway. */
export function openInBrowser(url: string): void {
  const [command = '', ...args] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  opener.once('error', () => undefined);
  opener.unref();
}
