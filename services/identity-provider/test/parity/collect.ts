import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Exchange, exchanges } from './replay.ts'

/** The tenant to query, and the client that queries it. The client needs `Application.ReadWrite.All` in a test tenant. */
export type TestTenant = {
  readonly authUrl: string
  readonly graphUrl: string
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
}

const known = new Set(['appv', 'appIdv', 'tenant'])
const [create, ...others] = exchanges.filter(
  ({ fact, path }) => /^E30[1-5]$/.test(fact) && path.startsWith('/v1.0/'),
)
const reads = others.filter(
  ({ method, path }) =>
    method === 'GET' &&
    [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => known.has(name)) &&
    !path.includes('deletedItems'),
)

/** The requests in their order: one temporary application is created, read, deleted and purged. */
export const questions: readonly Pick<Exchange, 'method' | 'path' | 'body'>[] = [
  {
    method: 'POST',
    path: '/v1.0/applications',
    body: create?.body.replace('{rolev}', crypto.randomUUID()) ?? '',
  },
  ...reads,
  { method: 'DELETE', path: '/v1.0/applications/{appv}', body: '' },
  { method: 'DELETE', path: '/v1.0/directory/deletedItems/{appv}', body: '' },
]

const maxDepth = 8
const maxMembers = 200

/** Keeps the names and types of a response. No value remains, and no name that could be a value. */
export function shapeOf(value: unknown, depth = 0): unknown {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  if (depth === maxDepth) return 'deeper'
  if (Array.isArray(value)) return value.slice(0, 1).map((one) => shapeOf(one, depth + 1))
  const entries = Object.entries(value).slice(0, maxMembers)
  return Object.fromEntries(
    entries.map(([name, inner]) => [safeName(name), shapeOf(inner, depth + 1)]),
  )
}

/** Names of Graph are short words of letters. A secret or an ID has digits, or is longer. */
const safeName = (name: string) =>
  /^(@odata\.)?[A-Za-z][A-Za-z_.@]{0,39}$/.test(name) || name === 'oauth2PermissionScopes'
    ? name
    : '(another name)'

const codeOf = ({ error }: { readonly error?: { readonly code?: unknown } }) =>
  error === undefined ? undefined : safeName(String(error.code))

/** Queries a tenant, and returns only what may leave this machine. */
export async function collect(tenant: TestTenant, send: typeof fetch = fetch) {
  const response = await send(`${tenant.authUrl}/${tenant.tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: tenant.clientId,
      client_secret: tenant.clientSecret,
      scope: 'https://graph.microsoft.com/.default',
    }),
  })
  if (!response.ok) throw new Error(`the token endpoint answered ${response.status}`)
  const { access_token: token } = (await response.json()) as { access_token: string }
  const values = new Map([['tenant', tenant.tenantId]])
  const collected: Record<string, unknown>[] = []
  for (const { method, path, body } of questions) {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? name)
    // Without its ID, the throw-away application does not exist.
    if (/\{app/.test(path) && !values.has('appv')) continue
    try {
      const answer = await send(`${tenant.graphUrl}${filled}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ConsistencyLevel: 'eventual',
          ...(body !== '' && { 'content-type': 'application/json' }),
        },
        ...(body !== '' && { body }),
      })
      const text = await answer.text()
      const content = /^\{/.test(text) ? JSON.parse(text) : {}
      if (method === 'POST' && answer.status === 201) {
        values.set('appv', String(content.id))
        values.set('appIdv', String(content.appId))
      }
      const code = codeOf(content)
      collected.push({
        method,
        path,
        status: answer.status,
        ...(code === undefined ? { shape: shapeOf(content) } : { code }),
      })
    } catch {
      // The throw-away application must still be deleted.
      collected.push({ method, path, failed: true })
    }
  }
  const text = JSON.stringify(collected)
  if (text.includes(tenant.clientSecret) || text.includes(token))
    throw new Error('a response has the secret or the token as a name; nothing was kept')
  return collected
}

const print = (line: string) => process.stdout.write(`${line}\n`)

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      'test-tenant': { type: 'string' },
      out: { type: 'string', default: 'recording.json' },
    },
  })
  const tenantId = values['test-tenant']
  if (tenantId === undefined) {
    for (const { method, path } of questions) print(`${method} ${path}`)
    print(
      'Nothing was sent. To send these requests: --test-tenant <tenant ID>, with CLIENT_ID and CLIENT_SECRET.',
    )
  } else {
    const { AUTH_URL, GRAPH_URL, CLIENT_ID, CLIENT_SECRET } = process.env
    const collected = await collect({
      authUrl: AUTH_URL ?? 'https://login.microsoftonline.com',
      graphUrl: GRAPH_URL ?? 'https://graph.microsoft.com',
      tenantId,
      clientId: CLIENT_ID ?? '',
      clientSecret: CLIENT_SECRET ?? '',
    })
    writeFileSync(values.out, `${JSON.stringify(collected, null, 1)}\n`)
    print(
      `${values.out} has ${collected.length} responses without values. Read it before you send it.`,
    )
  }
}
