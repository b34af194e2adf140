import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startIdentityProvider } from '../../src/index.ts'
import { startLabProvider } from '../../src/lab.ts'
import { openEnvironment } from '../../src/startup/service.ts'
import { startInProcess } from '../../src/startup/start-identity-provider.ts'
import { fixtureEnvironment } from '../startup/fixture-environment.ts'

const source = join(import.meta.dirname, '../../src')

describe('a server without a lab', () => {
  it('has none of the lab paths', async () => {
    await using provider = await startInProcess({}, fixtureEnvironment)
    for (const path of ['/lab', '/lab/faults', '/lab/clock']) {
      assert.equal((await fetch(`${provider.url}${path}`)).status, 404, path)
    }
  })

  it('imports the lab only in the dynamic import behind the setting', async () => {
    const service = await readFile(join(source, 'startup/service.ts'), 'utf8')
    assert.match(service, /LAB === 'off'\) return systemEnvironment\n.*await import\('..\/lab\//)
    for (const file of globSync('**/*.ts', {
      cwd: source,
      exclude: ['lab.ts', 'lab/**', 'startup/start-lab-provider.ts'],
    })) {
      assert.doesNotMatch(await readFile(join(source, file), 'utf8'), /from '@greeting\/lab/, file)
    }
  })
})

it('LAB=on starts a server whose lab admits only administrators', async () => {
  await using provider = await startIdentityProvider({ lab: 'on' })
  assert.equal((await fetch(`${provider.url}/lab/faults`)).status, 401)
})

it('LAB=on warns in the log', async () => {
  const warnings: unknown[] = []
  const warn = (_: object, message: string) => warnings.push(message)
  await openEnvironment({ LAB: 'on', HOST: '127.0.0.1' }, { warn } as never)
  assert.match(`${warnings}`, /^LAB=on: .* never use it in production$/)
})

describe('an identity provider for tests', () => {
  it('refuses options that only apply to persistent data', async () => {
    const options = { dataDir: '/tmp' } as object
    await assert.rejects(startLabProvider(options), { code: 'identity_provider_options' })
  })

  it('keeps its keys during a reset, and continues with the same announced keys', async () => {
    await using provider = await startLabProvider()
    const keys = async () => (await fetch(`${provider.url}/common/discovery/keys`)).text()
    const rounds = new Set<string>()
    for (let round = 0; round < 2; round += 1) {
      provider.lab.clock.advance({ days: 200 })
      rounds.add(await keys())
      await provider.reset()
    }
    assert.equal(rounds.size, 1)
  })
})
