import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { ClientError } from '@greeting/client'
import type { Json } from '../../../../test/fixtures/graph/graph-tenant.ts'
import { readClientSettings } from '../../../src/client/client-settings.ts'
import { withMissingStep } from '../../../src/commands/registrations/explain.ts'
import { FolderLock } from '../../../src/system/data-folder.ts'
import { serving } from '../../fakes/servers.ts'
import { emptyFile } from '../../fakes/terminal.ts'
import { applied } from './applied-graph.ts'
import type { ServedGraph } from './served-graph.ts'

const role = 'CallHiApiRole'

type Row = {
  readonly prepare?: (served: ServedGraph) => Promise<unknown>
  /** Other settings of the administrator, and of the client. */
  readonly change?: Record<string, string>
  readonly settings?: Record<string, string>
  readonly missing?: string
  /** Changes the file of the administrator. */
  readonly spoil?: (file: string) => unknown
  readonly isStopped?: true
}

async function remedyOf(test: TestContext, row: Row) {
  const { served } = await applied(test)
  const { folder, environment, tenant } = served
  await row.prepare?.(served)
  const application = async (name: string) =>
    (await tenant.applications()).find(({ displayName }) => displayName === name) ?? {}
  const [client, api] = [await application('Greeting client'), await application('Greeting API')]
  let requests = 0
  const other = await serving(test, (_request, response) => {
    requests += 1
    response.end()
  })
  const lines = Object.entries({ ...environment, ...row.change })
  const text = lines.map((line) => `${line.join('=')}\n`.replace('{other}', other)).join('')
  const file = await served.file(text, 'administrator.env')
  row.spoil?.(file)
  const lock = FolderLock.take(join(folder, 'start.lock'))
  if (row.isStopped) lock?.release()
  else test.after(() => lock?.release())
  const given = {
    AUTH_URL: environment.AUTH_URL,
    TENANT_ID: environment.TENANT_ID,
    CLIENT_ID: String(client.appId),
    CLIENT_SECRET: 'of the client',
    API_APPLICATION_ID: String(api.appId),
    ...row.settings,
  }
  const settings = {
    // Without a file, a system of the folder where the tests run would give its settings.
    ...(await readClientSettings(given, { settings: emptyFile })),
    file: join(folder, 'client.env'),
  }
  const { missing = role } = row
  const error = new ClientError('role_missing', 'it lacks a role', { status: 403, role: missing })
  served.onRequest = () => {
    requests += 1
  }
  const stop = new AbortController().signal
  const shown = await withMissingStep(error, settings, 'npx --no-install greeting', stop)
  assert.deepEqual(shown.details, error.details)
  const command = `npx --no-install greeting registrations explain --client ${client.appId} --api api://${api.appId} --data-dir ${folder}`
  return { shown, error, command, requests }
}

const withoutRequest = async ({ tenant }: ServedGraph) => {
  const isClient = ({ displayName }: Json) => displayName === 'Greeting client'
  const { id } = (await tenant.applications()).find(isClient) ?? {}
  await tenant.send('PATCH', `/applications/${id}`, { requiredResourceAccess: [] })
  await tenant.removeAssignments()
}
const steps: readonly (readonly [what: string, row: Row, says: RegExp])[] = [
  [
    'consent',
    { prepare: ({ tenant }) => tenant.removeAssignments() },
    /^Missing step: Admin consent\. CallHiApiRole is requested, but not granted\.\n/,
  ],
  [
    'request',
    { prepare: withoutRequest },
    /^Missing step: Permissions\. The client does not request CallHiApiRole\.\n/,
  ],
  ['declared role', { missing: 'Other' }, /^Missing step: Application roles\. .*declare Other\.\n/],
  ['step', {}, /^The client has CallHiApiRole now\. A new token contains it\.\n/],
]

/** The command is shown, and the secret of the administrator is not sent. */
const unasked: readonly (readonly [what: string, row: Row])[] = [
  ['no system runs in the folder', { isStopped: true }],
  ['the administrator belongs to another server', { change: { AUTH_URL: '{other}' } }],
  ['the administrator uses another Graph', { change: { GRAPH_URL: '{other}' } }],
  ['the client belongs to another server', { settings: { AUTH_URL: 'http://127.0.0.1:9' } }],
]

const movedTo = (name: string, file: string) => {
  const other = join(dirname(file), name)
  renameSync(file, other)
  return other
}
/** The file is not used at all. */
const ignored: readonly (readonly [what: string, row: Row])[] = [
  ['the client belongs to another machine', { settings: { AUTH_URL: 'https://login.example' } }],
  [
    'the administrator belongs to another machine',
    { change: { AUTH_URL: 'https://login.example' } },
  ],
  ["the administrator's settings are incomplete", { change: { CLIENT_ID: '' } }],
  ['the file is a link', { spoil: (file) => symlinkSync(movedTo('other.env', file), file) }],
  ['the file is a folder', { spoil: (file) => movedTo('other.env', file) && mkdirSync(file) }],
  ['the file is missing', { spoil: (file) => movedTo('other.env', file) }],
  ['the file is huge', { spoil: (file) => truncateSync(file, 1_000_000_000) }],
  ['the group can change the file', { spoil: (file) => chmodSync(file, 0o620) }],
  ['others can change the folder', { spoil: (file) => chmodSync(dirname(file), 0o777) }],
]

describe('a 403 from the identity provider on this machine', () => {
  for (const [what, row, says] of steps)
    it(`without ${what} causes an error with the missing step and a command for all steps`, async (test) => {
      const { shown, command } = await remedyOf(test, row)
      assert.match(shown.remedy, says)
      assert.ok(shown.remedy.endsWith(`\nShow all steps: ${command}`), shown.remedy)
    })

  for (const [what, row] of unasked)
    it(`causes no request with the administrator's secret when ${what}`, async (test) => {
      const { shown, error, command, requests } = await remedyOf(test, row)
      assert.equal(requests, 0)
      assert.equal(shown.remedy, `${error.remedy}\nShow all steps: ${command}`)
    })

  for (const [what, row] of ignored)
    it(`keeps its remedy when ${what}`, async (test) => {
      const { shown, error, requests } = await remedyOf(test, row)
      assert.equal(requests, 0)
      assert.equal(shown, error)
    })
})
