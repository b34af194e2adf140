import type { TestContext } from 'node:test'
import type { Storage } from '@greeting/directory/storage'
import { openLocalStorage } from '../../../../../test/fixtures/directory/local-storage.ts'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'

/** Creates a new store, which is removed when the test ends. */
export async function freshStorage(t: TestContext): Promise<Storage> {
  const dataDir = freshFolder()
  const storage = await openLocalStorage({ dataDir })
  t.after(() => storage.close())
  return storage
}
