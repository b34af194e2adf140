import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { DataFolder } from '../../src/system/data-folder.ts'

const client = { TENANT_ID: 'a', CLIENT_ID: 'b', CLIENT_SECRET: 'c', API_APPLICATION_ID: 'd' }
const text = (settings: object) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
const complete = text({ ...client, SCOPE: 'e' })
const { CLIENT_SECRET: _, ...withoutSecret } = client

describe('the client from an earlier start', () => {
  const rows: [name: string, clientEnv: string, administrator: string | null, isKept: boolean][] = [
    ['is kept if an administrator has removed the file with the secret', complete, null, true],
    ['is kept if its tenant has an administrator', complete, 'TENANT_ID=a', true],
    ['is replaced if the provider has created another tenant', complete, 'TENANT_ID=z', false],
    ['is replaced beside an administrator file without a tenant', complete, '', false],
    ['is replaced if its secret is missing', text(withoutSecret), null, false],
  ]
  for (const [name, clientEnv, administrator, isKept] of rows)
    it(name, async () => {
      const folder = freshFolder()
      await writeFile(join(folder, 'client.env'), clientEnv)
      if (administrator !== null) await writeFile(join(folder, 'administrator.env'), administrator)
      assert.deepEqual(await new DataFolder(folder).keptClient(), isKept ? client : undefined)
    })

  it('is replaced if the administrator file cannot be read', async () => {
    const folder = freshFolder()
    await writeFile(join(folder, 'client.env'), complete)
    await mkdir(join(folder, 'administrator.env'))
    assert.equal(await new DataFolder(folder).keptClient(), undefined)
  })
})
