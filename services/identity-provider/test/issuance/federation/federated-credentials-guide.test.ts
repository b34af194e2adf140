import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { rsaKeyPair } from '../../../../../test/fixtures/rsa-key-pair.ts'
import { FederatedIssuers } from '../../../src/issuance/federation/federated-issuers.ts'
import { parseNewFederatedCredential } from '../../../src/management/graph/applications/federated-identity-credential-body.ts'
import { GraphError } from '../../../src/management/refusals/graph-error.ts'
import { refusals } from '../../../src/management/refusals/refusals.ts'
import { asProof } from '../../endpoints/client-certificate.ts'
import { changeClient } from '../../endpoints/client-change.ts'
import { testService } from '../../endpoints/test-service.ts'

const page = readFileSync(
  join(import.meta.dirname, '../../../../../docs/guides/federated-credentials.md'),
  'utf8',
)

type Claims = Readonly<Record<string, unknown>>
/** What a mistake changes. A changed credential is one of the administrator. */
type Mistake = {
  readonly claims?: Claims
  readonly credential?: Claims
  readonly key?: 'unpublished' | 'ES256'
  readonly reachable?: false
  readonly hosts?: readonly string[]
  readonly sent?: false
}
type Platform = {
  readonly heading: string
  readonly header: Claims
  readonly claims: Claims
  readonly mistakes: Readonly<Record<string, Mistake>>
}

const github = {
  header: { typ: 'JWT' },
  claims: {
    sub: 'repo:contoso/orders:ref:refs/heads/main',
    repository: 'contoso/orders',
    repository_id: '456789',
    repository_owner_id: '123456',
    job_workflow_ref: 'contoso/orders/.github/workflows/greet.yml@refs/heads/main',
    ref: 'refs/heads/main',
  },
}
const expression = (value: string) => ({
  claimsMatchingExpression: { value, languageVersion: 1 },
})
const branches = "claims['sub'] matches 'repo:contoso/orders:ref:refs/heads/*'"
const pinned = `${branches} and claims['repository_id'] eq '456789'`
const now = Math.floor(Date.now() / 1000)

/** The tokens of each platform, and the mistakes of the page. */
const platforms: Readonly<Record<string, Platform>> = {
  github: {
    heading: 'GitHub Actions',
    ...github,
    mistakes: {
      'the job runs on another branch': {
        claims: { sub: 'repo:contoso/orders:ref:refs/heads/next' },
      },
      'the job has an environment': {
        claims: { sub: 'repo:contoso/orders:environment:production' },
      },
      'the repository has IDs in its subject': {
        claims: { sub: 'repo:contoso@123456/orders@456789:ref:refs/heads/main' },
      },
      'the subject ends with a wildcard': {
        credential: { subject: 'repo:contoso/orders:ref:refs/heads/*' },
      },
      'the organization is written in another case': {
        credential: { subject: 'repo:Contoso/orders:ref:refs/heads/main' },
      },
      'the issuer ends with a slash': {
        credential: { issuer: 'https://token.actions.githubusercontent.com/' },
      },
      '`getIDToken` was called without an audience': {
        claims: { aud: 'https://github.com/contoso' },
      },
      'the token is older than five minutes': {
        claims: { iat: now - 700, nbf: now - 700, exp: now - 400 },
      },
      'the host is not in `FEDERATED_ISSUER_HOSTS`': { hosts: ['gitlab.com'] },
      'the job sends no token, because it lacks `id-token: write`': { sent: false },
    },
  },
  gitlab: {
    heading: 'GitLab',
    header: { typ: 'JWT' },
    claims: {
      sub: 'project_path:contoso/orders:ref_type:branch:ref:main',
      project_id: '57382910',
      project_path: 'contoso/orders',
      ref_protected: 'true',
    },
    mistakes: {
      '`aud` is the address of the identity provider': {
        claims: { aud: 'https://login.example.com' },
      },
      'the job runs for a tag': {
        claims: { sub: 'project_path:contoso/orders:ref_type:tag:ref:v1' },
      },
      'the project belongs to another GitLab server': {
        claims: { iss: 'https://gitlab.contoso.com' },
      },
      'the server cannot reach the GitLab server': { reachable: false },
    },
  },
  kubernetes: {
    heading: 'Kubernetes service accounts',
    header: {},
    claims: {
      aud: ['api://AzureADTokenExchange'],
      sub: 'system:serviceaccount:jobs:nightly',
      'kubernetes.io': { namespace: 'jobs', serviceaccount: { name: 'nightly' } },
    },
    mistakes: {
      'the pod mounts the ordinary token of its service account': {
        claims: { aud: ['https://kubernetes.default.svc.cluster.local'] },
      },
      'the pod runs in another namespace': {
        claims: { sub: 'system:serviceaccount:default:nightly' },
      },
      'the issuer of the cluster is another one': {
        claims: { iss: 'https://kubernetes.default.svc.cluster.local' },
      },
      'the token is signed with a key that the issuer does not publish': { key: 'unpublished' },
      'the server cannot reach the issuer': { reachable: false },
    },
  },
  spiffe: {
    heading: 'SPIFFE',
    header: { typ: 'JWT' },
    claims: { aud: ['api://AzureADTokenExchange'], sub: 'spiffe://example.org/jobs/nightly' },
    mistakes: {
      '`jwt_issuer` is not set, so the token has no issuer': { claims: { iss: undefined } },
      '`jwt_key_type` is not set, so SPIRE signs with ES256': { key: 'ES256' },
      'the workload has another SPIFFE ID': {
        claims: { sub: 'spiffe://example.org/jobs/hourly' },
      },
      'the audience is the SPIFFE ID of the server': {
        claims: { aud: ['spiffe://example.org/identity-provider'] },
      },
    },
  },
  flexible: {
    heading: 'Flexible matching',
    ...github,
    mistakes: {
      'the job runs for a tag': { claims: { sub: 'repo:contoso/orders:ref:refs/tags/v1' } },
      'another repository has the name now': { claims: { repository_id: '999999' } },
      'no comparison with `repository_id` or `repository_owner_id`': {
        credential: expression(branches),
      },
      '`project_id:*` for GitLab': {
        credential: {
          issuer: 'https://gitlab.com',
          ...expression("claims['sub'] matches 'project_id:*'"),
        },
      },
      '`*` for Terraform Cloud': {
        credential: {
          issuer: 'https://app.terraform.io',
          ...expression("claims['sub'] matches '*'"),
        },
      },
      'a comparison with the claim `actor`': {
        credential: expression(`${pinned} and claims['actor'] eq 'octocat'`),
      },
      'comparisons that `or` joins': {
        credential: expression(pinned.replace(' and ', ' or ')),
      },
      'a subject and an expression': { credential: { subject: github.claims.sub } },
      'an expression for the issuer of a cluster': {
        credential: { issuer: 'https://oidc.example.com' },
      },
    },
  },
}

const published = rsaKeyPair()
const keys = {
  published: { privateKey: published.privateKey, alg: 'RS256' },
  unpublished: { privateKey: rsaKeyPair().privateKey, alg: 'RS256' },
  ES256: { ...(await generateKeyPair('ES256')), alg: 'ES256' },
}
const keySet = { keys: [{ ...(await exportJWK(published.publicKey)), kid: 'theirs', use: 'sig' }] }

/** The documents of every issuer, without a network. */
const fetchDocuments = async (input: unknown) => {
  const url = String(input)
  const issuer = url.replace('/.well-known/openid-configuration', '')
  return Response.json(url.endsWith('/keys') ? keySet : { issuer, jwks_uri: `${issuer}/keys` })
}

const credentialOf = (name: string): Claims & { readonly issuer: string } =>
  JSON.parse(page.split(`\`\`\`json ${name}\n`)[1]?.split('```')[0] ?? '')

/** The rows of the mistakes under a heading of the page. */
const documented = (heading: string): string[][] =>
  (page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('| mistake | response |')[1]
    ?.split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | ')) ?? []

const opened: FederatedIssuers[] = []
after(() => Promise.all(opened.map((issuers) => issuers.stop())))

/** The answer to a client with this mistake: a code, `200`, or `Graph` and its status. */
async function answerTo(name: string, { header, claims }: Platform, mistake: Mistake) {
  const { issuer: iss, ...rest } = credentialOf(name)
  const body = { issuer: iss, ...rest, ...mistake.credential }
  const issuers = new FederatedIssuers({
    allowedHosts: mistake.hosts ?? [new URL(String(body.issuer)).host],
    runtime: {
      fetch: mistake.reachable === false ? () => Promise.reject(new TypeError()) : fetchDocuments,
    },
  })
  opened.push(issuers)
  const service = await testService({ verifyFederated: issuers.verify })
  try {
    const id = '99999999-0000-4000-8000-000000000000'
    const credential = parseNewFederatedCredential(body, id)
    await changeClient(service, { federatedIdentityCredentials: [credential] })
  } catch (error) {
    assert.ok(error instanceof GraphError)
    return `Graph ${refusals[error.refusal].status}`
  }
  const { privateKey, alg } = keys[mistake.key ?? 'published']
  const usual = { iss, aud: 'api://AzureADTokenExchange', iat: now, nbf: now, exp: now + 3600 }
  const token = await new SignJWT({ ...usual, ...claims, ...mistake.claims })
    .setProtectedHeader({ ...header, alg, kid: mistake.key === 'unpublished' ? 'ours' : 'theirs' })
    .sign(privateKey)
  const response = await service.token(
    service.form(mistake.sent === false ? { client_secret: '' } : asProof(token)),
  )
  const answer = await response.json()
  return response.status === 200 ? '200' : String(answer.error_codes[0])
}

for (const [name, platform] of Object.entries(platforms))
  describe(`docs/guides/federated-credentials.md, ${platform.heading}`, () => {
    it('accepts the tokens of the platform with the documented credential', async () =>
      assert.equal(await answerTo(name, platform, {}), '200'))

    it('lists every mistake that the test causes', () =>
      assert.deepEqual(
        documented(platform.heading).map(([mistake]) => mistake),
        Object.keys(platform.mistakes),
      ))

    for (const [mistake = '', answer] of documented(platform.heading))
      it(`shows the server's response when ${mistake}`, async () =>
        assert.equal(await answerTo(name, platform, platform.mistakes[mistake] ?? {}), answer))
  })
