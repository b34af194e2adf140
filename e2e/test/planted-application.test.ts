import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { parseEnv } from 'node:util'
import { startIdentityProviderIn } from '../../fixtures/identity-provider.ts'
import { root, run, temporaryFolder } from './greeting-process.ts'

type Json = Record<string, string>

/** A directory in which "Greeting client" was registered, with a secret, before the file is applied. */
async function planted(t: TestContext) {
  const folder = await temporaryFolder(t)
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
  const post = async (path: string, body: object): Promise<Json> => {
    const response = await fetch(`${settings.GRAPH_URL}/v1.0${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Json
  }
  const { id, appId = '' } = await post('/applications', { displayName: 'Greeting client' })
  await post('/servicePrincipals', { appId })
  const password = { passwordCredential: { displayName: 'First secret' } }
  const { secretText } = await post(`/applications/${id}/addPassword`, password)
  return {
    folder,
    dataDir,
    provider,
    appId,
    tokenFor: (api: string) => token(appId, secretText, api),
  }
}

describe('CL14: an application that was planted under the name of a client', () => {
  it('is granted no role', async (t) => {
    const { folder, dataDir, provider, appId, tokenFor } = await planted(t)

    await t.test('by apply --yes', async () => {
      const file = join(root, 'registrations/greeting.json')
      const { code, err } = await run('greeting', ['registrations', 'apply', file, '--yes'], {
        cwd: folder,
      })
      assert.equal(code, 1)
      assert.match(
        err,
        new RegExp(
          `Admin consent for "Greeting client" is refused: application ${appId} was found by its name only\\. It exists since \\d{4}-\\d\\d-\\d\\d, with 1 secret, 0 certificates and 0 federated credentials of unknown origin\\.`,
        ),
      )
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
