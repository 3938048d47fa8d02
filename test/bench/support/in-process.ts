import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program that gets its job and answers with its report, each as one message.
 *
 * @throws Error if it ends without a report
 */
export async function inProcess<Job extends object, Report>(program: string, job: Job): Promise<Report> {
  const child = fork(program);
  try {
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`${program} ended before it reported: code ${code}, signal ${signal}`);
    });
    child.send(job);
    const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report];
    // It ends now, as it should.
    ended.catch(() => undefined);
    return report;
  } finally {
    child.kill();
  }
}
