import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { pino } from 'pino'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { openEnvironment, type Service, startService } from '../../src/startup/service.ts'
import { readSettings } from '../../src/startup/settings.ts'
import { readSeeded, registrationsFile, requestToken } from '../provider-process.ts'
import { fixtureEnvironment } from '../startup/fixture-environment.ts'

const secret = 'chosen-by-a-test-42'

describe('a client secret that a test has chosen', () => {
  const dataDir = freshFolder()
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) })

  const start = async (values: Readonly<Record<string, string>>): Promise<Service> => {
    const settings = readSettings({
      PORT: '0',
      HTTPS_PORT: 'off',
      DATA_DIR: dataDir,
      REGISTRATIONS: registrationsFile,
      ...values,
    })
    const { generateKey, openStorage } = fixtureEnvironment
    const environment = { ...(await openEnvironment(settings, log)), generateKey, openStorage }
    return startService({ settings, log, environment })
  }
  const withLab = { LAB: 'on', LAB_CLIENT_SECRET: secret }

  it('becomes the secret of each client in the file, and neither Graph nor the log shows it', async () => {
    const { url, stop } = await start(withLab)
    const { clients } = await readSeeded(dataDir)
    assert.deepEqual(new Set(clients.map((one: Client) => one.clientSecret)), new Set([secret]))
    assert.equal((await requestToken(url, dataDir)).status, 200)

    const applications = await graph(url, dataDir, clients[0].applicationId)
    assert.deepEqual(
      applications.passwordCredentials.map(({ hint, secretText }: Shown) => [hint, secretText]),
      [['', null]],
    )
    assert.doesNotMatch(JSON.stringify(applications), /chosen-by/)
    await stop()
    assert.doesNotMatch(logged.join(), /chosen-by/)
  })

  it('stays valid after a restart with a lab', async () => {
    const { url, stop } = await start(withLab)
    assert.equal((await requestToken(url, dataDir)).status, 200)
    await stop()
  })

  for (const { folder, chosen, unused } of [
    { folder: 'with this secret', chosen: secret, unused: undefined },
    { folder: 'with another secret', chosen: 'another-secret-42', unused: ['LAB_CLIENT_SECRET'] },
    {
      folder: 'without registrations',
      chosen: secret,
      unused: ['REGISTRATIONS', 'LAB_CLIENT_SECRET'],
    },
  ])
    it(`is ${unused ? `reported with ${unused}` : 'not reported'} when the server starts in a folder ${folder}`, async () => {
      const isKnown = folder !== 'without registrations'
      const values = { DATA_DIR: isKnown ? dataDir : join(dataDir, 'other') }
      if (!isKnown) await (await start({ ...values, REGISTRATIONS: '' })).stop()
      logged.length = 0
      await (await start({ ...withLab, ...values, LAB_CLIENT_SECRET: chosen })).stop()
      const [warning] = logged.map((line) => JSON.parse(line)).filter(({ settings }) => settings)
      assert.deepEqual([warning?.settings, warning?.level], [unused, unused && 40])
      assert.doesNotMatch(logged.join(), /chosen-by|another-secret/)
    })

  it('is refused after a restart without a lab (AS8)', async () => {
    const { url, stop } = await start({})
    const response = await requestToken(url, dataDir)
    assert.equal(response.status, 401)
    assert.match((await response.json()).error_description, /AADSTS7000215/)
    await stop()
  })
})

type Client = { readonly clientSecret: string }
type Shown = { readonly hint: string; readonly secretText: string | null }

/** The application of a client, as the administrator reads it. */
async function graph(url: string, dataDir: string, appId: string) {
  const administrator = parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8'))
  const answer = await fetch(`${url}/${administrator.TENANT_ID}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: administrator.CLIENT_ID ?? '',
      client_secret: administrator.CLIENT_SECRET ?? '',
      scope: 'https://graph.microsoft.com/.default',
    }),
  })
  const { access_token } = await answer.json()
  const headers = { authorization: `Bearer ${access_token}` }
  return (await fetch(`${url}/v1.0/applications(appId='${appId}')`, { headers })).json()
}
