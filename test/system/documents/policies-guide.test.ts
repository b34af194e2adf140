import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { startEntra } from '@greeting/testing'
import { decodeJwt } from 'jose'
import { root, run } from '../greeting-process.ts'

/** The part of `az rest` that the page uses. */
const az = `az() {
  local method url body query
  shift
  while [ $# -gt 0 ]; do
    case $1 in --method) method=$2 ;; --url) url=$2 ;; --body) body=$2 ;; --query) query=$2 ;; esac
    shift 2
  done
  local answer
  answer=$(curl -sS --fail-with-body -X "$method" -H "authorization: Bearer $ADMINISTRATOR_TOKEN" \\
    -H 'content-type: application/json' -d "$body" "$url")
  node -p 'JSON.parse(process.argv[1] || "{}")[process.argv[2]] ?? ""' "$answer" "\${query:-}"
}
`

it('the policy commands limit secrets, and shorten the tokens for an API', async () => {
  await using entra = await startEntra({
    registrations: {
      apis: { Orders: { roles: ['Orders.Read'] } },
      clients: { Job: { roles: { Orders: ['Orders.Read'] } } },
    },
  })
  const page = await readFile(join(root, 'docs/guides/identity-provider.md'), 'utf8')
  const blocks = [
    ...(page.split('\n## Policies\n')[1]?.split('\n## ')[0] ?? '').matchAll(
      /```sh\n([\s\S]*?)```/g,
    ),
  ].map(([, block = '']) => block)
  const { code, out, err } = await run('bash', ['-ec', [az, ...blocks].join('\n')], {
    env: {
      HTTPS_AUTH_URL: entra.url,
      API_APPLICATION_ID: entra.api('Orders').applicationId,
      ADMINISTRATOR_TOKEN: await entra.administrator.token(),
    },
  })
  assert.equal(code, 0, err + out)

  const { exp, iat } = decodeJwt(await entra.client('Job').token('Orders'))
  assert.equal(Number(exp) - Number(iat), 900, '10 minutes, and 5 of backdating')
  const path = `/applications(appId='${entra.client('Job').clientId}')/addPassword`
  const endDateTime = new Date(+entra.clock.now() + 100 * 86_400_000)
  await assert.rejects(entra.graph.send('POST', path, { passwordCredential: { endDateTime } }), {
    message: /CredentialInvalidLifetimeAsPerAppPolicy/,
  })
})
