import { StorageUnavailableError } from './storage-unavailable-error.ts'

/**
 * An answer of the store, if it comes in time: who asks is told sooner or later, however slow it is.
 *
 * @throws {StorageUnavailableError} storage_unavailable after `limitMs`.
 */
export async function withTimeout<Answer>(
  answer: Promise<Answer>,
  limitMs: number,
): Promise<Answer> {
  const tooLate = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    tooLate.reject(new StorageUnavailableError(`The store did not answer within ${limitMs} ms.`))
  }, limitMs)
  try {
    return await Promise.race([answer, tooLate.promise])
  } finally {
    clearTimeout(timer)
  }
}
