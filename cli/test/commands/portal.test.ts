import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openerOf, openInBrowser } from '../../src/browser.ts'
import { answering, serving, unreachableUrl } from '../fakes/servers.ts'
import { RecordedTerminal } from '../fakes/terminal.ts'

const administrator = {
  TENANT_ID: '8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11',
  CLIENT_ID: 'c359fc36-38a2-4383-adff-e05768ffbd8b',
  CLIENT_SECRET: 'the-secret-of-the-administrator',
}

describe('greeting portal', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'greeting-portal-'))
  })
  after(() => rm(folder, { recursive: true }))

  for (const [name, answer, code, out, err] of [
    [
      'prints a link that works once',
      answering(201, { url: 'http://127.0.0.1:4000/portal/link?code=v1.x', expires_in: 60 }),
      0,
      'http://127.0.0.1:4000/portal/link?code=v1.x\n',
      'The link works once, for 60 seconds.\n',
    ],
    [
      'reports wrong credentials',
      answering(401, { error: 'credentials_wrong', error_description: 'The secret is wrong.' }),
      3,
      '',
      'The portal makes no link: The secret is wrong.\n',
    ],
    [
      'reports an application that is no administrator',
      answering(401, { error: 'no_role', error_description: 'It has no role.' }),
      4,
      '',
      'The portal makes no link: It has no role.\n',
    ],
    [
      'reports an answer of another program',
      answering(500, '<html>'),
      1,
      '',
      'The portal makes no link: The answer has the status 500.\n',
    ],
  ] as const) {
    it(name, async (test) => {
      const url = await serving(test, answer)
      const recorded = new RecordedTerminal()
      const settings = { ...administrator, AUTH_URL: url, GRAPH_URL: url }
      assert.equal(await recorded.run(['portal', '--no-open'], settings), code)
      assert.deepEqual([recorded.out, recorded.err], [out, err])
    })
  }

  it('says how to turn the portal on', async (test) => {
    const url = await serving(test, answering(404, {}))
    const recorded = new RecordedTerminal()
    assert.equal(
      await recorded.run(['portal', '--no-open'], {
        ...administrator,
        AUTH_URL: url,
        GRAPH_URL: url,
      }),
      1,
    )
    assert.match(recorded.err, /serves no portal.\n.*PORTAL=on/)
  })

  it('reports an identity provider that does not answer', async () => {
    const recorded = new RecordedTerminal()
    const url = await unreachableUrl()
    const settings = { ...administrator, AUTH_URL: url, GRAPH_URL: url }
    assert.equal(await recorded.run(['portal', '--json'], settings), 5)
    assert.match(recorded.err, /does not answer/)
  })

  it('sends no secret over plain HTTP to another machine', async () => {
    const recorded = new RecordedTerminal()
    const url = 'http://login.example'
    const settings = { ...administrator, AUTH_URL: url, GRAPH_URL: url }
    assert.equal(await recorded.run(['portal'], settings), 2)
    assert.ok(!recorded.err.includes(administrator.CLIENT_SECRET))
  })

  for (const [platform, environment, opener] of [
    ['linux', {}, undefined],
    ['linux', { DISPLAY: ':0' }, ['xdg-open']],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0', BROWSER: 'firefox' }, ['firefox']],
    ['darwin', {}, ['open']],
    ['win32', {}, ['explorer.exe']],
  ] as const) {
    it(`opens the browser on ${platform} with ${opener ?? 'no program'}`, () => {
      assert.deepEqual(openerOf(platform, environment), opener)
    })
  }

  it('writes the link to a private file, not to the arguments of the browser', async () => {
    const url = 'http://127.0.0.1:4000/portal/link?code=v1.x'
    const environment = { DISPLAY: ':0', BROWSER: 'true' }
    await openInBrowser(url, folder, environment)
    const file = join(folder, 'portal.html')
    assert.match(await readFile(file, 'utf8'), /url=http:\/\/127\.0\.0\.1:4000\/portal\/link/)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
  })
})
