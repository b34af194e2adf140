import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { httpsNames, type SharedSystem, sharedSystem } from '../shared-system.ts'
import { ClientPage } from './client-page.ts'
import { type LeadingProxy, startLeadingProxy } from './leading-proxy.ts'
import { runSection } from './program-run.ts'

const page = new ClientPage('Unchanged programs', 'README')

describe('unchanged programs', () => {
  let system: SharedSystem
  let proxy: LeadingProxy

  before(async () => {
    system = await sharedSystem()
    proxy = await startLeadingProxy(system.clientSettings.HTTPS_AUTH_URL ?? '')
  })
  after(() => proxy.stop())

  it('need the setting of the shared system', () => {
    assert.ok(page.text.includes(`\nHTTPS_NAMES=${httpsNames} npm start\n`))
  })

  for (const section of page.sections)
    it(`${section.heading}: obtains a token that the API accepts, and connects to host names of Entra only`, async () => {
      const settings = { ...system.clientSettings, HTTPS_PROXY: proxy.url }
      const { stdout, stderr } = await runSection(section, settings, system.folder)
      assert.deepEqual({ stdout, stderr }, { stdout: '200 Hi\n', stderr: '' })
      assert.deepEqual(new Set(proxy.asked), new Set(['login.microsoftonline.com:443']))
    })
})
