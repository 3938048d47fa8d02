import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { assertObtainable, engineTrouble, firstLine, missingImages } from '#deploy/docker/engine.ts';
import { root } from '#deploy/local/paths.ts';

/** The servers of docker-compose.yml that tests use. */
export const testedServers = ['kafka', 'redis', 'postgres', 'registry'] as const;

/** Why tests can't use containers; undefined if they can. */
export async function troubleOfTestContainers(): Promise<string | undefined> {
  const trouble = await engineTrouble();
  if (trouble !== undefined) return trouble;
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8')) as {
    services: Record<string, { image: string }>;
  };
  try {
    const images = testedServers.map((name) => services[name]?.image ?? '');
    for (const image of await missingImages(images)) await assertObtainable(image);
    return undefined;
  } catch (error) {
    return `the images are not to be had (${firstLine(error)})`;
  }
}
