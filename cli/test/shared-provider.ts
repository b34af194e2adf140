import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../fixtures/identity-provider-process.ts'

/** The identity provider that some test files of one process use, and its data folder. */
export type SharedProvider = IdentityProvider & { readonly folder: string }

let starting: Promise<SharedProvider> | undefined

/**
 * Returns the shared identity provider, and starts it at the first call. Its directory shows new objects
 * after a second. It stops after the last test of the process.
 */
export function sharedProvider(): Promise<SharedProvider> {
  starting ??= start()
  return starting
}

after(async () => {
  const started = await starting
  await started?.stop()
  if (started) await rm(started.folder, { recursive: true })
})

async function start(): Promise<SharedProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-provider-'))
  const settings = { VISIBILITY_DELAY_SECONDS: '1' }
  return { ...(await startIdentityProvider(folder, process.env, settings)), folder }
}
