import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { ClientError, isClientFailure } from '@greeting/client'
import type { Json } from '../../../../fixtures/graph/graph-tenant.ts'
import { readClientSettings } from '../../../src/client/client-settings.ts'
import { withMissingStep } from '../../../src/commands/client/missing-step.ts'
import { applied } from '../registrations/applied-graph.ts'
import type { ServedGraph } from '../registrations/served-graph.ts'

const role = 'CallHiApiRole'

async function remedyOf(served: ServedGraph, { change = {}, settings = {}, missing = role }: Row) {
  const { folder, environment, tenant } = served
  const application = async (name: string) =>
    (await tenant.applications()).find(({ displayName }) => displayName === name) ?? {}
  const [client, api] = [await application('Greeting client'), await application('Greeting API')]
  const lines = Object.entries({ ...environment, ...change })
  await served.file(lines.map((line) => `${line.join('=')}\n`).join(''), 'administrator.env')
  const given = {
    AUTH_URL: environment.AUTH_URL,
    TENANT_ID: environment.TENANT_ID,
    CLIENT_ID: String(client.appId),
    CLIENT_SECRET: 'of the client',
    API_APPLICATION_ID: String(api.appId),
    ...settings,
  }
  const path = join(folder, 'client.env')
  const read = { ...(await readClientSettings(given, undefined)), file: path }
  const error = new ClientError('role_missing', 'it lacks a role', { status: 403, role: missing })
  const shown = await withMissingStep(error, read, new AbortController().signal)
  assert.ok(isClientFailure(shown))
  return {
    shown,
    error,
    command: `--client ${client.appId} --api api://${api.appId} --data-dir ${folder}`,
  }
}

type Row = {
  readonly prepare?: (served: ServedGraph) => Promise<unknown>
  readonly change?: Record<string, string>
  readonly settings?: Record<string, string>
  readonly missing?: string
}
const withoutRequest = async ({ tenant }: ServedGraph) => {
  const isClient = ({ displayName }: Json) => displayName === 'Greeting client'
  const { id } = (await tenant.applications()).find(isClient) ?? {}
  await tenant.send('PATCH', `/applications/${id}`, { requiredResourceAccess: [] })
  await tenant.removeAssignments()
}
const rows: readonly (readonly [what: string, row: Row, says: RegExp])[] = [
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
  [
    'directory, because the administrator is of another server',
    { change: { AUTH_URL: 'https://other.example' } },
    /^Grant the role to the client/,
  ],
  [
    'directory, because the settings of the administrator are incomplete',
    { change: { CLIENT_ID: '' } },
    /^Grant the role to the client/,
  ],
]

describe('a 403 at the identity provider of this machine', () => {
  for (const [what, row, says] of rows)
    it(`without ${what} has the step, and the command that shows it`, async (test: TestContext) => {
      const { served } = await applied(test)
      await row.prepare?.(served)
      const { shown, command } = await remedyOf(served, row)
      assert.match(shown.remedy, says)
      assert.ok(
        shown.remedy.endsWith(`\nShow all steps: greeting registrations explain ${command}`),
      )
      assert.deepEqual(shown.details, { status: 403, role: row.missing ?? role })
    })

  it('elsewhere keeps its remedy', async (test) => {
    const { served } = await applied(test)
    const settings = { AUTH_URL: 'https://login.example' }
    const { shown, error } = await remedyOf(served, { settings })
    assert.equal(shown, error)
  })
})
