import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openLocalStorage } from '../../../test/fixtures/directory/local-storage.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { startHere } from './provider-here.ts'
import { readSeeded, requestToken } from './provider-process.ts'

const dataDir = freshFolder()

it('a flood of requests adds few rows, and affects neither clients nor the records of refused changes (AS34)', async () => {
  const provider = await startHere({
    DATA_DIR: dataDir,
    HTTPS_PORT: 'off',
    WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: '2',
  })
  const { tenantId, clients } = await readSeeded(dataDir)
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${provider.url}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  const byClient = {
    grant_type: 'client_credentials',
    client_id: clients[0].applicationId,
    client_secret: clients[0].clientSecret,
    scope: 'https://graph.microsoft.com/.default',
  }

  // A client that may not change anything tries to.
  const granted = await post(`/${tenantId}/oauth2/v2.0/token`, byClient)
  const { access_token } = await granted.json()
  const refused = await fetch(`${provider.url}/v1.0/applications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: '{"displayName":"not allowed"}',
  })
  assert.equal(refused.status, 403)

  // Together, because the limit admits one more in half a minute.
  const flood = Array.from({ length: 60 }, () =>
    post('/unknown.example/oauth2/v2.0/token', byClient),
  )
  const refusals = (await Promise.all(flood)).filter(({ status }) => status === 429)
  assert.equal(refusals.length, 58)
  assert.equal((await requestToken(provider.url, dataDir)).status, 200)
  await provider.stop()

  const storage = await openLocalStorage({ dataDir })
  const rows = async (query: { log: 'directory' | 'signIns'; action?: string }) =>
    (await storage.audit.find({ limit: 1000, outcome: 'refused', ...query })).records
  assert.deepEqual(
    (await rows({ log: 'directory' })).map(({ actor, action }) => [actor, action]),
    [[clients[0].applicationId, 'application.create']],
  )
  assert.equal((await rows({ log: 'signIns', action: 'token.issue' })).length, 2)
  assert.deepEqual(
    (await rows({ log: 'signIns', action: 'token.throttle' })).map((row) => [
      row.actor,
      row.reason,
    ]),
    [['127.0.0.1', '58 requests']],
  )
  await storage.close()
})
