import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import {
  type IdentityProviderOptions,
  IdentityProviderOptionsError,
  startIdentityProvider,
} from '../../src/index.ts'
import { startInProcess } from '../../src/startup/start-identity-provider.ts'
import { registrationsFile } from '../provider-process.ts'
import { fixtureEnvironment } from './fixture-environment.ts'

/** Does the same without new keys and without threads, which are slow. */
const startCheaply = (options?: IdentityProviderOptions) =>
  startInProcess(options ?? {}, fixtureEnvironment)

describe('startIdentityProvider', () => {
  it('resolves when it is ready on a free port, and stores nothing by default', async () => {
    let folder = ''
    {
      await using provider = await startIdentityProvider({ registrations: registrationsFile })
      folder = provider.dataDir
      assert.equal((await fetch(`${provider.url}/readyz`)).status, 200)
      assert.equal(provider.httpsUrl, undefined)
      assert.ok(existsSync(join(folder, 'administrator.env')))
    }
    assert.ok(!existsSync(folder))
  })

  it('stores its keys in a data folder', async () => {
    const dataDir = freshFolder()
    const keySets: string[] = []
    // The second start generates no keys.
    for (const start of [startCheaply, startIdentityProvider]) {
      await using provider = await start({ dataDir })
      keySets.push(await (await fetch(`${provider.url}/common/discovery/keys`)).text())
    }
    assert.match(keySets[0] ?? '', /"kid"/)
    assert.equal(keySets[0], keySets[1])
  })

  it('stops once, however often stop is called', async () => {
    const provider = await startCheaply()
    await Promise.all([provider.stop(), provider.stop()])
    await assert.rejects(fetch(`${provider.url}/readyz`))
  })

  it('removes its temporary folder if the start fails', async () => {
    await using provider = await startCheaply()
    const port = Number(new URL(provider.url).port)
    await assert.rejects(startIdentityProvider({ port }), { code: 'EADDRINUSE' })
  })

  it('lists every invalid and unknown option, and reads no environment variable', async () => {
    const options = { port: 70_000, tenant: 'a', tokenLifetimeSeconds: 1 }
    await assert.rejects(startIdentityProvider(options as IdentityProviderOptions), (error) => {
      assert.ok(error instanceof IdentityProviderOptionsError)
      assert.deepEqual(error.faults, [
        'tenant is not an option',
        'port is "70000"; expected a port from 0 to 65535, or off',
        'tokenLifetimeSeconds is "1"; expected seconds from 60 to 86400, or two such numbers with a dash between them',
      ])
      return true
    })
  })
})
