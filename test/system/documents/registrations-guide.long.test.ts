import assert from 'node:assert/strict'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startEntra } from '@greeting/testing'
import { decodeJwt } from 'jose'
import { startIdentityProviderIn } from '../../fixtures/identity-provider.ts'
import { folderOfClone, root, run } from '../greeting-process.ts'

/** The registrations file of the example. */
const shipped = 'services/greeting-api/registrations.json'

const guide = await readFile(join(root, 'docs/guides/registrations.md'), 'utf8')

type Exchange = { readonly command: string; readonly printed: string }

/** The commands in the console blocks of the guide, each with the output in the guide. */
const exchanges = [...guide.matchAll(/```console\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
  .map((text): Exchange => {
    const [command = '', ...printed] = text.split('\n')
    return { command, printed: printed.join('\n') }
  })

/** A text without the parts that differ in each run: IDs, dates, hints of secrets and the port. */
const constant = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, '<date>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<url>')
    .trim()

describe('the guide to registrations', () => {
  const folder = folderOfClone()
  let provider: Awaited<ReturnType<typeof startIdentityProviderIn>>

  before(async () => {
    await cp(join(root, shipped), join(folder, shipped))
    provider = await startIdentityProviderIn(join(folder, '.greeting'))
  })
  after(async () => {
    await provider.stop()
  })

  it('grants the roles in an empty folder', () => {
    assert.ok(exchanges.length >= 4, `${exchanges.length} commands`)
  })

  for (const { command, printed } of exchanges) {
    it(`shows the output of the command: ${command}`, async () => {
      const { out, err } = await run('bash', ['-c', command], { cwd: folder })
      assert.equal(constant(out + err), constant(printed))
    })
  }
})

it('the command in docs/guides/tools.md issues tokens with the issuer and audience that Azurite requires', async () => {
  const page = await readFile(join(root, 'docs/guides/tools.md'), 'utf8')
  const [, issuerUrl] = /--issuer-url (\S+)/.exec(page) ?? []
  await using entra = await startEntra({
    registrations: { apis: {}, clients: { Job: {} } },
    issuerUrl,
  })
  const { clientId, clientSecret } = entra.client('Job')
  const response = await fetch(entra.tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: 'https://storage.azure.com/.default',
    }),
  })
  const { iss, aud } = decodeJwt(((await response.json()) as { access_token: string }).access_token)
  assert.match(iss ?? '', /^https:\/\/sts\.windows\.net\//)
  assert.equal(aud, 'https://storage.azure.com')
})
