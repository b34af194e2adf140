import { after } from 'node:test'
import { freshFolder } from '../../test/fixtures/fresh-folder.ts'
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
  const folder = freshFolder()
  const { url } = opened.use(await startIdentityProviderIn(folder, { visibilityDelaySeconds: 1 }))
  return { url, folder }
}
