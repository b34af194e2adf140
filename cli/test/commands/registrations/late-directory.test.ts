import assert from 'node:assert/strict'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../fixtures/identity-provider-process.ts'
import { services } from '../../../src/system/services.ts'
import { endedCommand } from '../../fakes/terminal.ts'

describe('registrations in a directory that shows new objects late', () => {
  const file = services.registrationsFile
  let folder: string
  let provider: IdentityProvider
  let first: Awaited<ReturnType<typeof endedCommand>>

  const greeting = (...args: string[]) =>
    endedCommand('registrations', ...args, '--data-dir', folder)

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'greeting-late-'))
    provider = await startIdentityProvider(folder, process.env, {
      VISIBILITY_DELAY_SECONDS: '1',
    })
    first = await greeting('apply', file)
  })
  after(async () => {
    await provider.stop()
    await rm(folder, { recursive: true })
  })

  it('are created once, and the next run finds them', async () => {
    assert.equal(first.code, 0, first.err)
    assert.match(first.err, /^The directory: not found yet\. Next attempt in /)
    const second = await greeting('apply', file)
    assert.equal(second.out, 'No changes: the directory matches the file.\n')
  })

  it('are refused to a client without management roles, with the missing role', async () => {
    const client = join(folder, 'secrets/greeting-client.env')
    await appendFile(client, `GRAPH_URL=${provider.url}\n`)
    const { code, err } = await greeting('plan', file, '--settings', client)
    assert.equal(code, 4, err)
    assert.match(err, /lacks (the|an) application role/)
  })
})
