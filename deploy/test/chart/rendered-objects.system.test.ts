import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { run } from '../../../test/packages/program.ts'
import { type SeededSystem, startSeededSystem } from '../../running/seeded-system.ts'
import { sourceLauncher } from '../../running/source-launcher.ts'
import { objectFaults, objectsOf, requestsOf } from './object-faults.ts'

const root = join(import.meta.dirname, '../../..')
const golden = join(root, 'deploy/chart/golden')
const read = (file: string) => readFileSync(join(golden, file), 'utf8')

describe('the rendered objects of the chart', () => {
  for (const file of readdirSync(golden))
    it(`fit together in ${file}`, () => {
      assert.deepEqual(objectFaults(objectsOf(read(file))), [])
    })

  const breaks: readonly (readonly [from: string | RegExp, to: string, fault: RegExp])[] = [
    [
      'template:\n    metadata:\n      labels:\n        app.kubernetes.io/component: api',
      'template:\n    metadata:\n      labels:\n        app.kubernetes.io/component: web',
      /Deployment \S+ selects 0 workloads/,
    ],
    [
      /(kind: PodDisruptionBudget[\s\S]*?component: )identity-provider(?=\n---)/,
      '$1web',
      /PodDisruptionBudget \S+ selects 0/,
    ],
    ['name: JWKS_URL', 'name: JWKS_URI', /sets JWKS_URI, which it does not read/],
    ['name: TRUSTED_PROXIES', 'name: AUTH_URL', /sets AUTH_URL twice/],
    ['containerPort: 9464', 'containerPort: 9465', /does not open the port 9465/],
    ['containerPort: 3000', 'containerPort: 8080', /does not open the port 8080/],
    [
      'readOnlyRootFilesystem: true',
      'readOnlyRootFilesystem: false',
      /container that is not restricted/,
    ],
    ['runAsNonRoot: true', 'runAsNonRoot: false', /is not restricted/],
    [
      'automountServiceAccountToken: false\n      enableServiceLinks',
      'enableServiceLinks',
      /mounts a token/,
    ],
    ['mountPath: /trust', 'mountPath: /trusted', /has no file for NODE_EXTRA_CA_CERTS/],
    [/key: (\S+), path: ca.crt/, 'key: $1, path: ca.pem', /has no file for NODE_EXTRA_CA_CERTS/],
    ['path: registrations.json', 'path: seed.json', /has no file for REGISTRATIONS/],
    ['replacement: greeting-api', 'replacement: api', /has a job api without a rule/],
    ['- port: metrics\n', '- port: http\n', /has a port http that its Service lacks/],
    ['targetPort: metrics', 'targetPort: web', /leads to a port web that no container opens/],
    [/(backendRefs:\n\s+- \{ name: \S+, port: )4000/, '$180', /HTTPRoute \S+ leads to a port/],
    [/(scaleTargetRef: .*name: greeting-)/, '$1x', /scales nothing/],
    [
      /(livenessProbe:\n\s+httpGet: \{ path: \/healthz, port: )http/,
      '$1web',
      /has a livenessProbe at no port/,
    ],
  ]
  for (const [from, to, fault] of breaks)
    it(`are checked for ${fault.source}`, () => {
      const text = read('production.yaml')
      const broken = text.replace(from, to)
      assert.notEqual(broken, text)
      assert.match(objectFaults(objectsOf(broken)).join('\n'), fault)
    })
})

describe('a running system', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-objects-'))
  let system: SeededSystem
  before(async () => {
    const metrics = { METRICS_PORT: '0' }
    const settings = { identityProvider: metrics, api: metrics }
    system = await startSeededSystem(sourceLauncher(root, folder), folder, settings)
  })
  after(async () => {
    await system[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const asked = readdirSync(golden).flatMap((file) => requestsOf(objectsOf(read(file))))
  const unique = new Map(asked.map((one) => [one.join(' '), one]))
  for (const [what, [component, port, path]] of unique)
    it(`responds to the requests in the chart: ${what}`, async () => {
      const { url, metricsUrl } = component === 'api' ? system.api : system.identityProvider
      const answer = await fetch(`${port === 'metrics' ? metricsUrl : url}${path}`)
      assert.equal(answer.status, 200)
      if (port === 'metrics') assert.match(await answer.text(), /^greeting_/m)
    })

  for (const file of [
    'compose/Caddyfile',
    ...readdirSync(join(root, 'deploy/proxies')).map((name) => `proxies/${name}`),
  ]) {
    const lines =
      readFileSync(join(root, 'deploy', file), 'utf8').match(
        /^.*(health_uri|http-check send|health_check:|healthCheck:) .*$/gm,
      ) ?? []
    for (const path of new Set(lines.map((line) => / (\/\w+)/.exec(line)?.[1])))
      it(`responds to the health check ${path} of ${file}`, async () => {
        for (const { url } of [system.identityProvider, system.api])
          assert.equal((await fetch(`${url}${path}`)).status, 200)
      })
  }

  const script = join(root, 'deploy/chart/files/test.mjs')
  const settings = () => ({
    IDENTITY_PROVIDER_URL: system.identityProvider.url,
    AUTH_URL: system.identityProvider.url,
    API_URL: system.api.url,
    API_APPLICATION_ID: system.apiApplicationId,
    CLIENTS_FILE: join(folder, 'seeded.json'),
  })
  const rows: readonly (readonly [string, Partial<ReturnType<typeof settings>>, number, RegExp])[] =
    [
      ['a running system', {}, 0, /oauth2\/v2\.0\/token: 200\n.*\/api\/v1\/hi: 200\n$/],
      ['another API', { API_APPLICATION_ID: 'other' }, 0, /oauth2\/v2\.0\/token: 200\n$/],
      ['no clients', { CLIENTS_FILE: '/clients/seeded.json' }, 0, /no token is requested\.\n$/],
      ['only the API', { IDENTITY_PROVIDER_URL: '' }, 0, /api\/v1\/hi: 401\n$/],
      ['a service that is not running', { API_URL: 'http://127.0.0.1:1' }, 1, /bad port/],
      [
        'another origin',
        { AUTH_URL: 'https://login.example' },
        1,
        /is not below https:\/\/login\.example/,
      ],
    ]
  for (const [what, change, code, says] of rows)
    it(`passes or fails helm test with ${what}`, () => {
      const environment = { ...settings(), ...change }
      const { status, stdout, stderr } = run(process.execPath, [script], folder, environment)
      assert.equal(status, code, stderr)
      assert.match(code === 0 ? stdout : stderr, says)
      assert.doesNotMatch(stdout + stderr, new RegExp(system.client.clientSecret))
    })

  it("responds to the image's HEALTHCHECK", () => {
    const text = readFileSync(join(root, 'deploy/Containerfile'), 'utf8')
    const [, line = ''] = /HEALTHCHECK[^[]*CMD (\[.*\])/.exec(text) ?? []
    const [, , ...args] = JSON.parse(line)
    const [program = '', main = ''] = sourceLauncher(root, folder).command('identity-provider')
    const { port } = new URL(system.identityProvider.url)
    const settings = { PORT: port, HTTPS_PORT: 'off', DATA_DIR: folder }
    const { status, stderr } = run(program, [main, ...args], folder, settings)
    assert.equal(status, 0, stderr)
  })
})
