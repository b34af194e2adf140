import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ClientPage } from './client-page.ts'
import { type GreetingSystem, startGreetingSystem } from './greeting-system.ts'
import { type LeadingProxy, startLeadingProxy } from './leading-proxy.ts'
import { runSection } from './program-run.ts'

const page = new ClientPage('unchanged-programs')

let system: GreetingSystem
let proxy: LeadingProxy

before(async () => {
  const [, name = '', value = ''] = /^(HTTPS_NAMES)=(\S+) npm start$/m.exec(page.text) ?? []
  system = await startGreetingSystem({ [name]: value })
  proxy = await startLeadingProxy(system.clientSettings.HTTPS_AUTH_URL ?? '')
})
after(async () => {
  await proxy.stop()
  await system.stop()
})

describe('programs that stay as they are', () => {
  for (const section of page.sections)
    it(`${section.heading}: obtains a token that opens the API, and asks nobody but Entra by name`, async () => {
      const settings = { ...system.clientSettings, HTTPS_PROXY: proxy.url }
      const { stdout, stderr } = await runSection(section, settings, system.folder)
      assert.deepEqual({ stdout, stderr }, { stdout: '200 Hi\n', stderr: '' })
      assert.deepEqual(new Set(proxy.asked), new Set(['login.microsoftonline.com:443']))
    })
})
