import { createPipeline, type Pipeline, type PipelineOptions } from '../../support/pipeline.ts';
import { openLogs } from './process-logs.ts';

/** Runs the services during the work; their logs go to the run's folder, and the last lines are printed if the work fails. */
export async function withPipeline<T>(
  { dir, say, ...options }: PipelineOptions & { dir: string; say(line: string): void },
  work: (pipeline: Pipeline) => Promise<T>,
): Promise<T> {
  const logs = openLogs(dir);
  const pipeline = await createPipeline({ ...options, onLine: logs.write });
  try {
    await pipeline.start();
    const result = await work(pipeline);
    pipeline.assertNoSurprise();
    return result;
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    await pipeline.stop();
    logs.close();
  }
}
