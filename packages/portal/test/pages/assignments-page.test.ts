import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { startPortal } from '../../../../test/fixtures/portal/portal-browser.ts'

const seed = join(
  import.meta.dirname,
  '../../../../services/identity-provider/test/seed/sample.json',
)

it('the portal reads the roles of clients page by page, and does not count them', async () => {
  const sample = JSON.parse(await readFile(seed, 'utf8'))
  const [api] = sample.apis
  const [consent] = sample.consents
  const appRoles = Array.from({ length: 30 }, (_, index) => ({
    ...api.appRoles[0],
    id: `0e6f2b1d-93c4-4d8a-a1f7-${String(index).padStart(12, '0')}`,
    value: `Role.${index}`,
  }))
  const roles = appRoles.map(({ value }) => value)
  const client = { ...sample.clients[0], permissions: [{ api: api.displayName, roles }] }
  const folder = freshFolder()
  const file = join(folder, 'registrations.json')
  const registrations = { apis: [{ ...api, appRoles }], clients: [client] }
  const consents = [{ ...consent, roles }]
  await writeFile(file, JSON.stringify({ ...sample, ...registrations, consents }))
  await using server = await startPortal({ registrations: file })
  const browser = await server.signedIn()
  const path = `/portal/applications/${api.applicationId}`
  const first = (await browser.open(`${path}/assignments`)).text
  assert.match(first, /On this page: 1 client has a role of this API, in 25 assignments\./)
  const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first) ?? []
  assert.match(
    (await browser.open(next.replaceAll('&amp;', '&'))).text,
    /1 client has a role of this API, in 5 assignments\./,
  )
  assert.match((await browser.open(path)).text, /for this API: 1 client with a role will lose it\./)
})
