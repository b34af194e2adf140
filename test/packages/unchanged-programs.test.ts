import assert from 'node:assert/strict'
import { mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ClientPage } from '../system/clients/client-page.ts'
import { type LeadingProxy, startLeadingProxy } from '../system/clients/leading-proxy.ts'
import { runSection } from '../system/clients/program-run.ts'
import { httpsNames, type SharedSystem, sharedSystem } from '../system/shared-system.ts'
import { peerFolder } from './program.ts'

const page = new ClientPage('Unchanged programs', 'README')

describe('unchanged programs', () => {
  let system: SharedSystem
  let folder: string
  let proxy: LeadingProxy

  before(async () => {
    system = await sharedSystem()
    folder = await mkdtemp(join(system.folder, 'unchanged-'))
    await symlink(peerFolder, join(folder, 'node_modules'))
    proxy = await startLeadingProxy(system.clientSettings.HTTPS_AUTH_URL ?? '')
  })
  after(() => proxy.stop())

  it('need the setting of the shared system', () => {
    assert.ok(page.text.includes(`\nHTTPS_NAMES=${httpsNames} npm start\n`))
  })

  for (const section of page.sections)
    it(`${section.heading}: obtains a token that the API accepts, and connects only to Entra host names`, async () => {
      const settings = { ...system.clientSettings, HTTPS_PROXY: proxy.url }
      const { stdout, stderr } = await runSection(section, settings, folder)
      assert.deepEqual({ stdout, stderr }, { stdout: '200 Hi\n', stderr: '' })
      assert.deepEqual(new Set(proxy.asked), new Set(['login.microsoftonline.com:443']))
    })
})
