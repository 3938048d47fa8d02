import { ApiError } from '#client';

/** The API's answer, or undefined where it is kept no longer: a page shows the rest, and says so. */
export async function undefinedIfGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.failure.kind === 'problem' && error.failure.status === 410)
      return undefined;
    throw error;
  }
}
