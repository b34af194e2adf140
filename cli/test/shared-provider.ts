import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { startIdentityProviderIn } from '../../test/fixtures/identity-provider.ts'

/** The identity provider that some test files of one process use, and its data folder. */
export type SharedProvider = { readonly url: string; readonly folder: string }

let starting: Promise<SharedProvider> | undefined
const opened = new AsyncDisposableStack()

/**
 * Returns the shared identity provider, and starts it at the first call. Its directory shows new objects
 * after a second. It stops after the last test of the process.
 */
export function sharedProvider(): Promise<SharedProvider> {
  starting ??= start()
  return starting
}

after(() => opened.disposeAsync())

async function start(): Promise<SharedProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-provider-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const { url } = opened.use(await startIdentityProviderIn(folder, { visibilityDelaySeconds: 1 }))
  return { url, folder }
}
