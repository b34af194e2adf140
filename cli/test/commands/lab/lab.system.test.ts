import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { services } from '../../../src/system/services.ts'
import { endedCommand, RecordedTerminal } from '../../fakes/terminal.ts'

type Decoded = { readonly header: { kid?: string }; readonly claims: Record<string, unknown> }

function decoded(token: string): Decoded {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') }
}

describe('greeting lab', () => {
  const terminal = new RecordedTerminal()
  const dataDir = freshFolder()
  let settings: readonly string[]
  let ended: Promise<number>

  before(async () => {
    settings = ['--settings', join(dataDir, 'client.env')]
    const ports = ['--api-port', '0', '--identity-port', '0']
    const args = ['start', '--data-dir', dataDir, ...ports, '--lab', '--json']
    ended = terminal.run(args, {}, services)
    await Promise.race([terminal.printed(/\n$/), ended])
  })
  after(async () => {
    terminal.stop()
    await ended
  })

  const lab = async (...args: string[]) => {
    const { code, out, err } = await endedCommand('lab', ...args, '--data-dir', dataDir)
    assert.deepEqual([code, err], [0, ''])
    return out
  }
  const clientSettings = async () => parseEnv(await readFile(join(dataDir, 'client.env'), 'utf8'))
  const lines = (out: string) => out.trimEnd().split('\n')

  it('arms a fault for one client, lists it with its requests, and removes it', async () => {
    assert.equal(await lab('faults', 'list'), 'There are no faults.\n')
    const { CLIENT_ID = '' } = await clientSettings()
    const scope = ['--at', 'token', '--client', CLIENT_ID]
    const parameters = ['--with', 'retryAfterSeconds=0', '--times', '1']
    const added = await lab('faults', 'add', 'throttled', ...scope, ...parameters)
    assert.match(added, /^Fault \S+ is armed\.\n$/)
    assert.match(lines(await lab('faults', 'list'))[1] ?? '', /throttled +token +0 +armed$/)
    assert.equal((await endedCommand('hi', ...settings)).code, 0)
    assert.match(lines(await lab('faults', 'list'))[1] ?? '', /throttled +token +1 +used up$/)
    assert.equal(await lab('faults', 'clear'), 'There are no faults.\n')
    assert.deepEqual(JSON.parse(await lab('faults', 'list', '--json')), [])
  })

  it('explains why a fault is refused', async () => {
    const { code, err } = await endedCommand(
      ...['lab', 'faults', 'add', 'unknown', '--at', 'keys', '--data-dir', dataDir],
    )
    assert.equal(code, 1)
    assert.match(err, /POST \/faults was refused with HTTP status 400/)
  })

  it('creates a token with the roles, claims and header in the options', async () => {
    const { API_APPLICATION_ID = '' } = await clientSettings()
    const api = ['--api', API_APPLICATION_ID]
    const roles = ['--role', 'CallHiApiRole', '--role', 'Other']
    const members = ['--claim', 'exp=null', '--claim', 'sub=me', '--header', 'typ=other']
    const { header, claims } = decoded(await lab('token', ...api, ...roles, ...members))
    const { exp, sub, roles: rolesOfToken } = claims
    assert.deepEqual([exp, sub, rolesOfToken], [null, 'me', ['CallHiApiRole', 'Other']])
    assert.equal((header as { typ?: string }).typ, 'other')
    const unpublished = decoded(await lab('token', ...api, '--unpublished'))
    assert.notEqual(unpublished.header.kid, header.kid)
  })

  it('freezes, advances, sets and resets the clock', async () => {
    const [frozen = '', mark] = (await lab('clock', '--freeze')).trimEnd().split(', ')
    assert.equal(mark, 'frozen')
    const later = (seconds: number) => new Date(Date.parse(frozen) + seconds * 1000).toISOString()
    assert.equal(await lab('clock', '--advance', '3600'), `${later(3600)}, frozen\n`)
    assert.equal(await lab('clock', '--advance', '-60'), `${later(3540)}, frozen\n`)
    assert.equal(await lab('clock', '--set', later(60)), `${later(60)}, frozen\n`)
    assert.doesNotMatch(await lab('clock', '--resume'), /frozen/)
    const { isFrozen, offsetMs } = JSON.parse(await lab('clock', '--reset', '--json'))
    assert.deepEqual([isFrozen, offsetMs], [false, 0])
  })

  it('is reported by greeting doctor', async () => {
    assert.match(
      (await endedCommand('doctor', ...settings)).out,
      /warn +discovery .* belongs to a server with a lab/,
    )
  })
})
