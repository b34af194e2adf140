import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { services } from '../../../src/system/services.ts'
import { endedCommand } from '../../fakes/terminal.ts'
import { type SharedProvider, sharedProvider } from '../../shared-provider.ts'

describe('registrations in a directory that shows new objects with a delay', () => {
  const file = services.registrationsFile
  let provider: SharedProvider
  let first: Awaited<ReturnType<typeof endedCommand>>

  const greeting = (...args: string[]) =>
    endedCommand('registrations', ...args, '--data-dir', provider.folder)

  before(async () => {
    provider = await sharedProvider()
    first = await greeting('apply', file)
  })

  it('are created once, and the next run finds them', async () => {
    assert.equal(first.code, 0, first.err)
    assert.match(first.err, /^The directory: not found yet\. Next attempt in /)
    const second = await greeting('apply', file)
    assert.equal(second.out, 'No changes: the directory matches the file.\n')
  })

  it('name the missing role if the client has no management role', async () => {
    const client = join(provider.folder, 'secrets/greeting-client.env')
    await appendFile(client, `GRAPH_URL=${provider.url}\n`)
    const { code, err } = await greeting('plan', file, '--settings', client)
    assert.equal(code, 4, err)
    assert.match(err, /lacks (the|an) application role/)
  })
})
