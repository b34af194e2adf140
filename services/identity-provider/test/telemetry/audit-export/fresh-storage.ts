import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Storage } from '@greeting/directory/storage'
import { openLocalStorage } from '../../../../../test/fixtures/directory/local-storage.ts'

/** Creates a new store, which is removed when the test ends. */
export async function freshStorage(t: TestContext): Promise<Storage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'greeting-audit-export-'))
  const storage = await openLocalStorage({ dataDir })
  t.after(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  return storage
}
