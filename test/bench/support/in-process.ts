import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program that gets its job and answers with its report, each as one message. */
export async function inProcess<Job extends object, Report>(program: string, job: Job): Promise<Report> {
  const child = fork(program);
  try {
    child.send(job);
    const [report] = (await once(child, 'message')) as [Report];
    return report;
  } finally {
    child.kill();
  }
}
