import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { RecordedTerminal } from '../fakes/terminal.ts'

async function dataFolder(name: string): Promise<string> {
  const folder = join(freshFolder(), name)
  await mkdir(join(folder, 'tls'), { recursive: true })
  await writeFile(join(folder, 'tls/authority.pem'), 'a certificate')
  return folder
}

describe('greeting trust', () => {
  it('explains for each operating system how to trust the authority in the data folder', async () => {
    const folder = await dataFolder('greeting-trust-')
    const terminal = new RecordedTerminal()
    assert.equal(await terminal.run(['trust', '--data-dir', folder]), 0)
    for (const way of [
      'NODE_EXTRA_CA_CERTS=',
      'curl --cacert',
      'update-ca-certificates',
      'macOS',
    ]) {
      assert.ok(terminal.out.includes(way), way)
    }
    assert.ok(terminal.out.includes(join(folder, 'tls/authority.pem')))
  })

  it('quotes the path as one shell word', async () => {
    const folder = await dataFolder('greeting trust ')
    const terminal = new RecordedTerminal()
    await terminal.run(['trust', '--data-dir', folder])
    assert.ok(terminal.out.includes(`NODE_EXTRA_CA_CERTS='${folder}/tls/authority.pem'`))
  })

  it('prints the instructions as JSON', async () => {
    const folder = await dataFolder('greeting-trust-')
    const terminal = new RecordedTerminal()
    await terminal.run(['trust', '--data-dir', folder, '--json'])
    const { file, ways } = JSON.parse(terminal.out)
    assert.equal(file, join(folder, 'tls/authority.pem'))
    assert.ok(ways.length >= 6)
  })

  it('names the replaced authority, and explains that the new one must be trusted', async () => {
    const folder = await dataFolder('greeting-trust-')
    const terminal = new RecordedTerminal()
    await terminal.run(['trust', '--data-dir', folder])
    assert.doesNotMatch(terminal.out, /It replaced/)
    const previous = join(folder, 'tls/authority.previous.pem')
    await writeFile(previous, 'a certificate')
    await terminal.run(['trust', '--data-dir', folder])
    assert.ok(terminal.out.includes(`It replaced ${previous}. Trust the new one`))
  })

  it('names the command that creates the authority if none exists', async () => {
    const folder = await dataFolder('greeting-trust-')
    const terminal = new RecordedTerminal()
    assert.equal(await terminal.run(['trust', '--data-dir', join(folder, 'none')]), 1)
    assert.match(
      terminal.err,
      /There is no certificate authority at .*\n.*"npx --no-install greeting start" creates it/,
    )
  })
})
