import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parseEnv } from 'node:util'
import { agentMembers, sampleFile } from '@greeting/registrations/samples'
import type { Json } from '../../../../test/fixtures/graph/graph-tenant.ts'
import { RecordedTerminal } from '../../fakes/terminal.ts'
import { ServedGraph } from './served-graph.ts'

/** An API, two clients, a blueprint with two agents, and the consents of all. */
export function fileOfAll() {
  const { apis, clients, consents } = sampleFile()
  const second = clients.map((client) => ({ ...client, displayName: 'Second client' }))
  const { blueprints, consents: ofAgents } = agentMembers()
  const secrets = [{ displayName: 'primary' }]
  return {
    apis,
    clients: [...clients, ...second],
    blueprints: blueprints.map((one) => ({ ...one, secrets })),
    consents: [...consents, { client: 'Second client', api: 'Greeting API' }, ...ofAgents],
  }
}

export const holders = ['Greeting client', 'Helper blueprint', 'Second client']

type Cut = {
  /** The number of the request to the directory; 0 is none. */
  readonly at: number
  /** Whether the directory executes it, so that only its answer is lost. */
  readonly isExecuted: boolean
}

/**
 * Runs a command, and cuts it off at a change: the directory does nothing for it any more, as if its process
 * had ended there.
 *
 * @returns the exit code; undefined when it was cut off
 */
export async function cut(served: ServedGraph, args: readonly string[], { at, isExecuted }: Cut) {
  const { handle } = served.tenant
  let count = 0
  let isDead = false
  const handleUntilDeath = async (request: Request): Promise<Response> => {
    // The states between reads are the same.
    const isChange = request.method !== 'GET' && request.url.includes('/v1.0/')
    if (isChange) count += 1
    const isLast = isChange && count === at
    const answer = isDead || (isLast && !isExecuted) ? undefined : await handle(request)
    isDead ||= isLast
    return answer && !isDead ? answer : Response.json({}, { status: 400 })
  }
  Object.assign(served.tenant, { handle: handleUntilDeath })
  const terminal = new RecordedTerminal()
  const all = ['registrations', ...args, '--data-dir', served.folder]
  const code = await terminal.run(all, served.environment)
  Object.assign(served.tenant, { handle })
  return isDead ? undefined : code
}

/** Whether the directory has each object once, and the files have the secrets that it holds. */
export async function assertWhole(served: ServedGraph, rotated: readonly string[] = []) {
  const { tenant, environment } = served
  const applications = await tenant.applications()
  const names = applications.map(({ displayName }) => displayName)
  assert.deepEqual(names, ['Greeting API', 'Greeting client', 'Helper blueprint', 'Second client'])
  assert.equal((await tenant.servicePrincipals()).length, 4)
  const agents = '/servicePrincipals/microsoft.graph.agentIdentity'
  const { value } = await tenant.send<{ value: Json[] }>('GET', agents)
  assert.deepEqual(value.map(({ displayName }) => displayName).sort(), ['Agent 1', 'Agent 2'])
  const ofAgents = value.map(({ id }) =>
    tenant.send<{ value: Json[] }>('GET', `/servicePrincipals/${id}/appRoleAssignments`),
  )
  const assignments = [
    await tenant.assignments(),
    ...(await Promise.all(ofAgents)).map((one) => one.value),
  ]
  assert.equal(assignments.flat().length, 6)
  for (const { displayName, appId, passwordCredentials } of applications) {
    const name = String(displayName)
    const ends = (passwordCredentials as { endDateTime: string }[]).map((one) => one.endDateTime)
    assert.equal(ends.length, holders.includes(name) ? 1 + Number(rotated.includes(name)) : 0)
    if (ends.length === 0) continue
    const settings = parseEnv(await readFile(secretFileOf(served, name), 'utf8'))
    assert.equal(settings.CLIENT_ID, appId)
    const times = ends.map((end) => new Date(end).toISOString())
    assert.ok(times.includes(settings.CLIENT_SECRET_EXPIRES ?? ''), `${name}: ${times}`)
    const form = {
      grant_type: 'client_credentials',
      client_id: settings.CLIENT_ID ?? '',
      client_secret: settings.CLIENT_SECRET ?? '',
      scope: settings.SCOPE ?? '',
    }
    const url = `${environment.AUTH_URL}/${environment.TENANT_ID}/oauth2/v2.0/token`
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
    const { error_description } = (await answer.json()) as Json
    // A blueprint gets no token for an API, but its secret is judged first.
    assert.doesNotMatch(String(error_description), /AADSTS7000215/)
  }
  assert.equal(existsSync(journalOf(served)), false)
}

export const journalOf = ({ folder }: ServedGraph) => join(folder, 'apply-journal.env')
export const secretFileOf = ({ folder }: ServedGraph, client: string) =>
  join(folder, 'secrets', `${client.toLowerCase().replaceAll(' ', '-')}.env`)

/**
 * Applies a file again after an apply of it that is cut off, and asserts that the second apply completes the first.
 *
 * @returns whether the first apply was cut off, because it had so many changes
 */
export async function assertCompleted(test: TestContext, end: Cut): Promise<boolean> {
  const served = await ServedGraph.start(test)
  const path = await served.file(fileOfAll())
  const first = await cut(served, ['apply', path, '--write-ids'], end)
  const { code, err } = await served.run(['apply', path, '--write-ids'])
  assert.equal(code, 0, `${end.at}: ${err}`)
  await assertWhole(served)
  assert.equal((await readFile(path, 'utf8')).match(/"applicationId"/g)?.length, 6)
  return first === undefined
}
