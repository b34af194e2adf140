import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { parseEnv } from 'node:util'
import { startIdentityProviderIn } from '../fixtures/identity-provider.ts'
import { folderOfClone, root, run } from './greeting-process.ts'

type Json = Record<string, string>

type Post = (path: string, body: object) => Promise<Json>

const password = { passwordCredential: { displayName: 'First secret' } }

/** A directory in which "Greeting client" was registered before the file is applied. */
async function planted(t: TestContext) {
  const folder = folderOfClone()
  const dataDir = join(folder, '.greeting')
  const provider = await startIdentityProviderIn(dataDir)
  t.after(() => provider.stop())
  const settings = parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8')) as Json
  const token = (id = '', secret = '', scope = '') =>
    fetch(`${settings.AUTH_URL}/${settings.TENANT_ID}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
        scope,
      }),
    })
  const { CLIENT_ID, CLIENT_SECRET } = settings
  const graph = await token(CLIENT_ID, CLIENT_SECRET, 'https://graph.microsoft.com/.default')
  const { access_token } = (await graph.json()) as Json
  const post: Post = async (path, body) => {
    const response = await fetch(`${settings.GRAPH_URL}/v1.0${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.ok(response.ok, path)
    const text = await response.text()
    return text === '' ? {} : JSON.parse(text)
  }
  const application = await post('/applications', { displayName: 'Greeting client' })
  const { appId = '' } = application
  const principal = await post('/servicePrincipals', { appId })
  const { secretText } = await post(`/servicePrincipals/${principal.id}/addPassword`, password)
  return {
    folder,
    dataDir,
    provider,
    appId,
    tokenFor: (api: string) => token(appId, secretText, api),
  }
}

describe("CL14: an application that was planted under a client's name", () => {
  // The tests of the command have a row for each other credential and owner.
  it('receives no role while its service principal has a secret', async (t) => {
    const { folder, dataDir, provider, appId, tokenFor } = await planted(t)

    await t.test('by apply --yes', async () => {
      const file = join(root, 'services/greeting-api/registrations.json')
      const { code, err } = await run('greeting', ['registrations', 'apply', file, '--yes'], {
        cwd: folder,
      })
      assert.equal(code, 1)
      const refusal = `Admin consent for "Greeting client" is refused: application ${appId} was found by its name only. It exists since `
      assert.ok(err.includes(refusal), err)
      assert.match(err, /with 1 secret of its service principal of unknown origin\./)
      const token = await tokenFor(`api://${appId}/.default`)
      const payload = (await token.json()) as Json
      assert.equal(payload.access_token, undefined)
    })

    await t.test('by the first registrations of greeting start', async () => {
      await provider.stop()
      const ports = ['--api-port', '0', '--identity-port', '0']
      const { code, err } = await run('greeting', ['start', '--data-dir', dataDir, ...ports])
      assert.equal(code, 1)
      assert.match(err, /^Admin consent for "Greeting client" is refused: /)
    })
  })
})
