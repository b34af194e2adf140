import { StorageUnavailableError } from './storage-unavailable-error.ts'

/**
 * Waits for an answer of the store, but not longer than a limit.
 *
 * @throws {StorageUnavailableError} storage_unavailable after `limitMs`
 */
export async function withTimeout<Answer>(
  answer: Promise<Answer>,
  limitMs: number,
): Promise<Answer> {
  const tooLate = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    tooLate.reject(new StorageUnavailableError(`The store did not answer within ${limitMs} ms`))
  }, limitMs)
  try {
    return await Promise.race([answer, tooLate.promise])
  } finally {
    clearTimeout(timer)
  }
}
