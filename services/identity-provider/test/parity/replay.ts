import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { certifiedKeyOf, proofOf } from '../management/privileges/certificate-of.ts'
import { startHere } from '../provider-here.ts'
import { readRows } from './parity-tables.ts'

type Column = 'fact' | 'method' | 'path' | 'body' | 'status' | 'shows' | 'keeps'
export type Exchange = Readonly<Record<Column, string>>

/** An exchange, and `same` or the difference from Entra's response. */
export type Replayed = Exchange & { readonly result: string }

/**
 * Requests with Entra's responses, in their order. A name in braces stands for a value: a new GUID, or what
 * an earlier response contained at the path in `keeps`. `{proof_x}` proves possession of `{certificate}`
 * for the object `{x}`. In `shows`, `*` stands for any value, and `(none)` for no value.
 */
export const exchanges: readonly Exchange[] = readRows<Column>('exchanges.tsv')

/** The first place where a response lacks what is expected; `undefined` if there is none. */
export function firstDifference(
  expected: unknown,
  actual: unknown,
  place = '',
): string | undefined {
  if (expected === '*') return actual === undefined ? place : undefined
  if (expected === '(none)') return actual === undefined ? undefined : place
  if (typeof expected !== 'object' || expected === null)
    return expected === actual ? undefined : place
  if (typeof actual !== 'object' || actual === null) return place
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return place
    const lacks = (one: unknown) =>
      !actual.some((other) => firstDifference(one, other) === undefined)
    return expected.some(lacks) ? place : undefined
  }
  for (const [name, value] of Object.entries(expected)) {
    const inner = place === '' ? name : `${place}.${name}`
    const found = firstDifference(value, (actual as Record<string, unknown>)[name], inner)
    if (found !== undefined) return found
  }
  return undefined
}

/** Starts an identity provider, and sends the exchanges to it as its administrator. */
export async function replay(rows: readonly Exchange[] = exchanges): Promise<Replayed[]> {
  const folder = freshFolder()
  const provider = await startHere({ DATA_DIR: folder, HTTPS_PORT: 'off', REGISTRATIONS: '' })
  try {
    const admin = parseEnv(await readFile(join(folder, 'administrator.env'), 'utf8'))
    const [present, second] = [await certifiedKeyOf('Present'), await certifiedKeyOf('Second')]
    const values = new Map([
      ['certificate', Buffer.from(present.credential.certificate).toString('base64')],
      ['secondCertificate', Buffer.from(second.credential.certificate).toString('base64')],
      ['tenant', admin.TENANT_ID ?? ''],
      ['admin', admin.CLIENT_ID ?? ''],
      ['zero', '00000000-0000-0000-0000-000000000000'],
    ])
    const fill = (text: string) =>
      text.replace(/\{([a-z]\w*)\}/gi, (_, name: string) => {
        const [, holder] = name.split('proof_')
        if (holder !== undefined) return proofOf(present, values.get(holder) ?? '', new Date())
        const value = values.get(name) ?? randomUUID()
        if (name !== 'guid') values.set(name, value)
        return value
      })
    const token = await administratorToken(provider.url, admin)
    const replayed: Replayed[] = []
    for (const row of rows) {
      const { method, keeps } = row
      const [path, body, shows] = [fill(row.path), fill(row.body), fill(row.shows)]
      const isGraph = /^\/(v1\.0|beta)\//.test(path)
      const type = isGraph ? 'application/json' : 'application/x-www-form-urlencoded'
      const response = await fetch(`${provider.url}${path}`, {
        method,
        headers: {
          ...(isGraph && { authorization: `Bearer ${token}`, ConsistencyLevel: 'eventual' }),
          ...(body !== '' && { 'content-type': type }),
        },
        ...(body !== '' && { body }),
      })
      const text = await response.text()
      const answer = /^[{[]/.test(text) ? JSON.parse(text) : {}
      const place = shows === '' ? undefined : firstDifference(JSON.parse(shows), answer)
      for (const [name = '', at = ''] of keeps.split(' ').map((keep) => keep.split('='))) {
        const value = at.split('.').reduce((one, part) => one?.[part], answer)
        if (typeof value === 'string') values.set(name, value)
      }
      const sameStatus = String(response.status) === row.status
      const difference = sameStatus ? place : `status ${response.status}`
      replayed.push({
        ...row,
        result: difference === undefined ? 'same' : `differs: ${difference}`,
      })
    }
    return replayed
  } finally {
    await provider.stop()
  }
}

async function administratorToken(url: string, admin: NodeJS.Dict<string>): Promise<string> {
  const response = await fetch(`${url}/${admin.TENANT_ID}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: admin.CLIENT_ID ?? '',
      client_secret: admin.CLIENT_SECRET ?? '',
      scope: 'https://graph.microsoft.com/.default',
    }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}
