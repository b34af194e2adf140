import assert from 'node:assert/strict'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { sampleFile } from '@greeting/registrations/samples'
import { ServedGraph } from './served-graph.ts'

describe('the registrations commands refuse', () => {
  const otherTenant = { tenant: { id: '11111111-1111-4111-8111-111111111111' } }
  const rows = [
    {
      name: 'a wrong secret',
      settings: { CLIENT_SECRET: 'canary~wrong' },
      content: sampleFile(),
      exit: 3,
      message: /AADSTS7000215/,
    },
    {
      name: 'a tenant with its domain as the name',
      settings: { TENANT_ID: 'contoso.example' },
      content: {},
      exit: 2,
      message: /TENANT_ID must be the ID of the tenant, a GUID/,
    },
    {
      name: 'missing settings, all in one report',
      settings: { CLIENT_SECRET: '', TENANT_ID: '' },
      content: {},
      exit: 2,
      message: /TENANT_ID .*; CLIENT_SECRET /,
    },
    {
      name: 'a file for another tenant',
      settings: {},
      content: otherTenant,
      exit: 2,
      message:
        /is for the tenant 11111111-1111-4111-8111-111111111111, but the administrator belongs to [0-9a-f-]{36}/,
    },
    {
      name: 'an invalid file, with one line for each fault',
      settings: {},
      content: { apis: [{}], clients: 7 },
      exit: 2,
      message:
        /^Invalid registrations file .*:\n {2}apis\[0\]\.displayName is missing\n {2}apis\[0\]\.appRoles is missing\n {2}clients must be of type array/,
    },
    {
      name: 'a file without JSON',
      settings: {},
      content: '{',
      exit: 2,
      message: /^Invalid registrations file .*:\n {2}is not JSON in line 1: /,
    },
    {
      name: 'a file in YAML',
      settings: {},
      content: 'apis:\n  - displayName: Orders\n',
      exit: 2,
      message: /^Invalid registrations file .*:\n {2}is not JSON; YAML is not read\n/,
    },
    {
      name: 'an impossible plan, with one sentence',
      settings: {},
      content: { clients: [{ displayName: 'a', permissions: [{ api: 'b', roles: ['c'] }] }] },
      exit: 1,
      message: /^\S+ cannot be applied: The API "b" is not in the file and not in the tenant\.\n$/,
    },
    {
      name: 'an invalid certificate',
      settings: {},
      content: {
        clients: [
          { displayName: 'a', certificates: [{ displayName: 'b', path: 'registrations.json' }] },
        ],
      },
      exit: 2,
      message: /is not an X\.509 certificate in PEM/,
    },
    {
      name: 'a missing certificate file',
      settings: {},
      content: {
        clients: [{ displayName: 'a', certificates: [{ displayName: 'b', path: 'none.pem' }] }],
      },
      exit: 2,
      message: /There is no file .*none\.pem/,
    },
  ]
  for (const { name, settings, content, exit, message } of rows) {
    it(name, async (test) => {
      const served = await ServedGraph.start(test)
      const path = await served.file(content)
      Object.assign(served.environment, settings)
      for (const command of ['plan', 'apply']) {
        const { code, err, out } = await served.run([command, path])
        assert.equal(code, exit, err)
        assert.match(err, message)
        assert.equal(out, '')
        assert.doesNotMatch(err, /canary/)
      }
      assert.equal((await served.tenant.applications()).length, 0)
    })
  }

  it('a private key instead of a certificate', async (test) => {
    const served = await ServedGraph.start(test)
    await served.file('-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n', 'key.pem')
    const certificates = [{ displayName: 'b', path: 'key.pem' }]
    const path = await served.file({ clients: [{ displayName: 'a', certificates }] })
    const { code, err } = await served.run(['plan', path])
    assert.equal(code, 2)
    assert.match(err, /contains a private key/)
    assert.doesNotMatch(err, /canary/)
  })

  it('a missing administrator, with the name of the settings file', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    for (const name of Object.keys(served.environment)) delete served.environment[name]
    const { code, err } = await served.run(['plan', path])
    assert.equal(code, 2)
    assert.match(
      err,
      /TENANT_ID is missing; CLIENT_ID is missing; CLIENT_SECRET is missing\.\n.*administrator\.env/s,
    )
  })
})

const isRoot = process.getuid?.() === 0
const stranger = 12_345

describe("the administrator's settings", () => {
  type FileRow = readonly [
    what: string,
    more: {
      readonly change?: (file: string, folder: string) => unknown
      readonly environment?: Record<string, string>
      readonly args?: readonly string[]
      readonly content?: (text: string) => string | Buffer
      readonly needsRoot?: true
    },
    says?: RegExp,
  ]
  const named = ['--settings', '{file}']
  const marked = '\ufeff'
  const rows: readonly FileRow[] = [
    ['of this user', {}],
    ['readable by others, with a warning', { change: (file) => chmod(file, 0o644) }],
    [
      'with the mode 666',
      { change: (file) => chmod(file, 0o666) },
      /other users can change \S+env\n/,
    ],
    [
      'with the mode 666, but named on the command line',
      { change: (file) => chmod(file, 0o666), args: named },
    ],
    [
      'in a folder that its group can change',
      { change: (_, folder) => chmod(folder, 0o770) },
      /other users can change \S+\w\n/,
    ],
    [
      'of another user',
      { change: (file) => chown(file, stranger, stranger), needsRoot: true },
      /other users can change \S+env\nIf you trust it, add --settings/,
    ],
    [
      'in a folder of another user',
      { change: (_, folder) => chown(folder, stranger, stranger), needsRoot: true },
      /other users can change/,
    ],
    [
      'named on the command line, beside an administrator in the environment',
      { args: named, environment: { CLIENT_ID: 'other', CLIENT_SECRET: 'other', AUTH_URL: 'x' } },
    ],
    ['with a byte order mark', { content: (text) => marked + text }],
    [
      'in UTF-16',
      { content: (text) => Buffer.from(marked + text, 'utf16le') },
      /is UTF-16, not UTF-8/,
    ],
    [
      'with a byte order mark inside',
      { content: (text) => text.replace('CLIENT_SECRET', `${marked}CLIENT_SECRET`) },
      /CLIENT_SECRET has a byte order mark .*; CLIENT_SECRET is missing/,
    ],
    [
      'with the tenant in AUTH_URL',
      { content: (text) => text.replace(/^AUTH_URL=.*/m, '$&/common') },
      /AUTH_URL must have no path/,
    ],
    [
      'with a version in GRAPH_URL',
      { content: (text) => text.replace(/^GRAPH_URL=.*/m, '$&/v1.0') },
      /GRAPH_URL must have no path/,
    ],
  ]
  // Only root can give a file to another user.
  for (const [what, more, says] of rows.filter(([, { needsRoot }]) => isRoot || !needsRoot))
    it(`are ${says ? 'refused' : 'read'} in a file ${what} (CL21)`, async (test) => {
      const served = await ServedGraph.start(test)
      const lines = Object.entries(served.environment).map((pair) => `${pair.join('=')}\n`)
      const text = lines.join('')
      const file = await served.file('', 'administrator.env')
      await writeFile(file, more.content?.(text) ?? text)
      await chmod(file, 0o600)
      await more.change?.(file, served.folder)
      const path = await served.file(sampleFile())
      for (const name of Object.keys(served.environment)) delete served.environment[name]
      Object.assign(served.environment, more.environment)
      const args = (more.args ?? []).map((word) => word.replace('{file}', file))
      const { code, err } = await served.run(['plan', path, ...args])
      assert.equal(code, says ? 2 : 0, err)
      assert.match(err, says ?? (what.includes('warning') ? /^Warning: other users can read/ : /^/))
    })

  it('are read from the file in the data folder if the environment has no administrator', async (test) => {
    const served = await ServedGraph.start(test)
    const lines = Object.entries(served.environment).map(([name, value]) => `${name}=${value}\n`)
    await served.file(lines.join(''), 'administrator.env')
    const path = await served.file(sampleFile())
    for (const name of Object.keys(served.environment)) delete served.environment[name]
    const { code, err } = await served.run(['plan', path])
    assert.equal(code, 0, err)
  })

  it('send no token from another authority to the worldwide Microsoft Graph', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    delete served.environment.GRAPH_URL
    const { code, err } = await served.run(['plan', path])
    assert.equal(code, 2)
    assert.match(err, /GRAPH_URL is missing/)
    assert.match(
      err,
      /\nThe environment sets CLIENT_ID, so \S+administrator\.env was not read\. Unset CLIENT_ID to use the file, or /,
    )
    assert.doesNotMatch(err, /greeting start/)
  })

  it('are never combined from a file and the environment', async (test) => {
    const served = await ServedGraph.start(test)
    await served.file('CLIENT_SECRET=of-another-client\n', 'administrator.env')
    const path = await served.file(sampleFile())
    delete served.environment.CLIENT_SECRET
    const { code, err } = await served.run(['plan', path])
    assert.equal(code, 2)
    assert.match(err, /CLIENT_SECRET is missing/)
  })
})
