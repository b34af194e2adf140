import assert from 'node:assert/strict'
import { chmod, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import type { Settings } from '../../src/files/env-file.ts'
import { openerOf, openInBrowser } from '../../src/system/open-in-browser.ts'
import { answering, serving, unreachableUrl } from '../fakes/servers.ts'
import { RecordedTerminal } from '../fakes/terminal.ts'

const administrator = {
  TENANT_ID: '8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11',
  CLIENT_ID: 'c359fc36-38a2-4383-adff-e05768ffbd8b',
  CLIENT_SECRET: 'the-secret-of-the-administrator',
}

describe('greeting portal', () => {
  const folder = freshFolder()

  for (const [name, answer, code, out, err] of [
    [
      'reports wrong credentials',
      answering(401, { error: 'credentials_wrong', error_description: 'The secret is wrong.' }),
      3,
      '',
      'The portal makes no link: The secret is wrong.\n',
    ],
    [
      'reports an application that is not an administrator',
      answering(401, { error: 'no_role', error_description: 'It has no role.' }),
      4,
      '',
      'The portal makes no link: It has no role.\n',
    ],
    [
      'reports a response from another program',
      answering(500, '<html>'),
      1,
      '',
      'The portal makes no link: The response has the status 500.\n',
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

  const links: readonly (readonly [link: string, isTaken: boolean])[] = [
    ['{origin}/portal/link?code=v1.x', true],
    ['https://login.example/portal/link?code=v1.x', true],
    ['https://evil.example/portal/link?code=v1.x', false],
    ['https://login.example@evil.example/portal/link', false],
    ['https://login.example:444/portal/link', false],
    ['http://login.example/portal/link', false],
    ['{origin}/portal/links', false],
    ['{origin}/portal/link/../x', false],
    ['{origin}/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['data:text/html,<script>', false],
    ['vscode://x/portal/link', false],
    ['x', false],
    ['', false],
  ]
  for (const [given, isTaken] of links)
    it(`${isTaken ? 'prints' : 'refuses'} the link ${given} (CL22)`, async (test) => {
      let url = ''
      const origin = await serving(test, (request, response) =>
        answering(201, { url, expires_in: 60 })(request, response),
      )
      url = given.replace('{origin}', origin)
      const recorded = new RecordedTerminal()
      const [AUTH_URL, args] = given.includes('login.example')
        ? ['https://login.example', ['--server', origin]]
        : [origin, []]
      const settings = { ...administrator, AUTH_URL, GRAPH_URL: AUTH_URL }
      const code = await recorded.run(['portal', '--no-open', ...args], settings)
      assert.equal(code, isTaken ? 0 : 1)
      assert.equal(recorded.out, isTaken ? `${url}\n` : '')
      assert.match(recorded.err, isTaken ? /^The link works once, for 60 s/ : /makes no link/)
    })

  it('explains how to enable the portal', async (test) => {
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

  it('reports an identity provider that does not respond', async () => {
    const recorded = new RecordedTerminal()
    const url = await unreachableUrl()
    const settings = { ...administrator, AUTH_URL: url, GRAPH_URL: url }
    assert.equal(await recorded.run(['portal', '--json'], settings), 5)
    assert.match(recorded.err, /does not answer/)
  })

  it('sends no secret to another machine over plain HTTP', async () => {
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

  /** A browser that copies what it is asked to open. */
  async function recordingBrowser(): Promise<{ environment: Settings; opened: string }> {
    const name = join(folder, crypto.randomUUID())
    const [program, opened] = [`${name}.sh`, `${name}.opened`]
    const script = `#!/bin/sh\nstat -c %a "$1" > ${opened}.part; echo "$1" >> ${opened}.part\ncat "$1" >> ${opened}.part\nmv ${opened}.part ${opened}\n`
    await writeFile(program, script, { mode: 0o700 })
    return { environment: { DISPLAY: ':0', BROWSER: program }, opened }
  }

  const url = 'http://127.0.0.1:4000/portal/link?code=v1.x'
  const until = async <Value>(read: () => Promise<Value | undefined>): Promise<Value> => {
    for (let count = 0; count < 200; count += 1) {
      const value = await read()
      if (value !== undefined) return value
      await setTimeout(25)
    }
    return assert.fail('it did not happen')
  }
  const linkFiles = async () => (await readdir(folder)).filter((name) => name.endsWith('.html'))

  it('writes the link to a new private file, not to the arguments, and deletes the file', async () => {
    const { environment, opened } = await recordingBrowser()
    const target = join(folder, 'target')
    await writeFile(target, 'kept')
    await symlink(target, join(folder, 'portal.html'))
    assert.equal(await openInBrowser(url, folder, environment, 1000), true)
    const text = await until(() => readFile(opened, 'utf8').catch(() => undefined))
    const [mode, file, page] = text.split('\n')
    assert.equal(mode, '600')
    assert.match(file ?? '', /portal-[0-9a-f-]{36}\.html$/)
    assert.match(page ?? '', /url=http:\/\/127\.0\.0\.1:4000\/portal\/link/)
    assert.equal(await readFile(target, 'utf8'), 'kept', 'no link is followed')
    await until(async () => ((await linkFiles()).join() === 'portal.html' ? true : undefined))
  })

  it('deletes the files of an earlier run, and no others', async () => {
    const old = new Date(Date.now() - 3_600_000)
    const own = `portal-${crypto.randomUUID()}.html`
    const foreign = ['portal.html', 'portal-0a1b.html', 'portal-notes.txt', 'report.html']
    const names = [own, ...foreign]
    for (const name of names) {
      await rm(join(folder, name), { force: true })
      await writeFile(join(folder, name), 'x')
      await utimes(join(folder, name), old, old)
    }
    const { environment } = await recordingBrowser()
    await openInBrowser(url, folder, environment, 60_000)
    const left = await readdir(folder)
    assert.deepEqual(
      names.filter((name) => left.includes(name)),
      foreign,
    )
  })

  it('escapes the link in the page (CL22)', async () => {
    const { environment, opened } = await recordingBrowser()
    const hostile = `${url}&x="><script>alert('1')</script>`
    assert.equal(await openInBrowser(hostile, folder, environment, 1000), true)
    const page = await until(() => readFile(opened, 'utf8').catch(() => undefined))
    assert.doesNotMatch(page, /<script|"><|'/)
    assert.match(page, /code=v1\.x&#38;x=&#34;&#62;&#60;script&#62;alert\(&#39;1/)
  })

  it('writes no link to a folder that others can change (CL21)', async () => {
    const { environment } = await recordingBrowser()
    await chmod(folder, 0o777)
    assert.equal(await openInBrowser(url, folder, environment, 1000), false)
    await chmod(folder, 0o700)
  })

  it('leaves no file if no browser starts, and prints the link if the folder is missing', async () => {
    const environment = { DISPLAY: ':0', BROWSER: join(folder, 'missing') }
    const before = await linkFiles()
    assert.equal(await openInBrowser(url, folder, environment, 60_000), false)
    assert.deepEqual(await linkFiles(), before)
    const missing = join(folder, 'missing')
    assert.equal(await openInBrowser(url, missing, { DISPLAY: ':0' }, 60_000), false)
  })
})
