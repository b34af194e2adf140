import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createGuard, describeResource, entra } from '@greeting/guard'
import { createMetrics } from '@greeting/http-service/guard-metrics'
import { Validator } from '@seriousme/openapi-schema-validator'
import {
  apiApplicationId,
  Signer,
  tenantId,
} from '../../../test/fixtures/signing-identity-provider.ts'
import { createApp } from '../src/app.ts'
import { roles } from '../src/greetings.ts'

const baseUrl = 'https://api.example'
const addresses = {
  baseUrl,
  tokenUrl: `https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`,
  scope: `api://${apiApplicationId}/.default`,
}
const resourceMetadata = describeResource({
  resource: baseUrl,
  authorizationServers: [`https://login.microsoftonline.com/${tenantId}/v2.0`],
  scopes: [addresses.scope],
})

let signer: Signer
before(async () => {
  signer = await Signer.make('key-1', 'https://sts.windows.net')
})

function makeApp({ answers = true, fails = false } = {}) {
  const metrics = createMetrics()
  const logged: unknown[] = []
  let stopping = false
  const guard = createGuard(
    entra({
      tenantId,
      apiApplicationId,
      roles,
      tokenVersions: ['1.0'],
      listener: metrics.listener,
    }),
    {
      fetch: async () =>
        answers ? Response.json({ keys: [signer.jwk] }) : new Response('', { status: 500 }),
    },
  )
  metrics.watch(guard)
  const app = createApp({
    guard: fails
      ? {
          ...guard,
          decide: () => {
            throw new Error('canary')
          },
        }
      : guard,
    addresses,
    resourceMetadata,
    isStopping: () => stopping,
    log: { error: (detail: unknown) => logged.push(detail) },
  })
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(`${baseUrl}${path}`, { headers })
  const stop = () => {
    stopping = true
  }
  return { app, guard, get, logged, stop, metrics }
}

describe('the API description', () => {
  it('is valid OpenAPI 3.1', async () => {
    const description = await (await makeApp().get('/openapi.json')).json()
    const { valid, errors } = await new Validator().validate(description)
    assert.deepEqual(errors ?? [], [])
    assert.equal(valid, true)
    assert.match(description.openapi, /^3\.1\./)
  })

  it('contains exactly the paths of the app', async () => {
    const { app, get } = makeApp()
    const { paths } = await (await get('/openapi.json')).json()
    const routed = app.routes
      .filter(({ method, path }) => method === 'GET' && path !== '/docs/:file')
      .map(({ path }) => path)
    assert.deepEqual(Object.keys(paths).sort(), routed.sort())
  })

  it('contains the media types of every response on open routes', async () => {
    const { get } = makeApp()
    const { paths } = await (await get('/openapi.json')).json()
    for (const path of Object.keys(paths)) {
      const operation = paths[path].get
      if (!operation.tags.includes('Open')) continue
      const answered = new Set<string | undefined>()
      for (const accept of ['text/html', 'application/json', '*/*']) {
        const { headers } = await get(path, { accept })
        answered.add(headers.get('content-type')?.split(';')[0])
      }
      const described = Object.keys(operation.responses['200'].content)
      assert.deepEqual([...answered].sort(), described.sort(), path)
    }
  })

  it('contains the server, the token endpoint and the scope', async () => {
    const { servers, components } = await (await makeApp().get('/openapi.json')).json()
    assert.deepEqual(servers, [{ url: baseUrl }])
    const { tokenUrl, scopes } =
      components.securitySchemes.clientCredentials.flows.clientCredentials
    assert.equal(tokenUrl, addresses.tokenUrl)
    assert.deepEqual(Object.keys(scopes), [addresses.scope])
  })

  it('is complete at /docs, even without scripts', async () => {
    const { get } = makeApp()
    const { paths } = await (await get('/openapi.json')).json()
    const response = await get('/docs')
    const html = await response.text()
    for (const path of Object.keys(paths)) assert.ok(html.includes(`GET ${path}</code>`), path)
    assert.ok(html.includes(addresses.tokenUrl))
    assert.ok(html.includes(addresses.scope))
    assert.match(html, /<html lang="en">/)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  })

  it('has a viewer at /docs that uses files of this server and no inline script', async () => {
    const { get } = makeApp()
    const response = await get('/docs')
    const html = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-/)
    assert.doesNotMatch(policy, /unsafe|https?:/)
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<[^>]* on\w+=/)
    const paths = [...html.matchAll(/(?:<link[^>]* href|src)="([^"]+)"/g)].map(([, path]) => path)
    assert.equal(paths.length, 7)
    for (const path of paths) {
      const { status, headers } = await get(`/${path}`, { 'accept-encoding': 'gzip' })
      assert.deepEqual([status, headers.get('content-encoding')], [200, 'gzip'], path)
    }
    const unknown = await get('/docs/package.json')
    assert.deepEqual([unknown.status, (await unknown.json()).error], [404, 'not_found'])
  })
})

describe('an open route', () => {
  for (const path of [
    ...['/', '/docs', '/openapi.json', '/healthz', '/readyz'],
    '/.well-known/oauth-protected-resource',
  ]) {
    it(`has a content type and nosniff: ${path}`, async () => {
      const { headers } = await makeApp().get(path)
      assert.notEqual(headers.get('content-type'), null)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    })
  }
})

describe('the start page', () => {
  it('is HTML for a browser', async () => {
    const response = await makeApp().get('/', { accept: 'text/html,*/*;q=0.8' })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(response.headers.get('vary'), 'accept')
    assert.match(await response.text(), /href="\/docs"/)
  })

  it('is JSON for a program, with the other paths', async () => {
    const { get } = makeApp()
    const response = await get('/')
    assert.equal(response.headers.get('content-type'), 'application/json')
    const { documentation, openapi, health, readiness } = await response.json()
    for (const path of [documentation, openapi, health]) {
      assert.equal((await get(path)).status, 200, path)
    }
    assert.equal((await get(readiness)).status, 503)
  })
})

describe('the protected resource metadata', () => {
  it('has the address that each challenge contains', async () => {
    const { get } = makeApp()
    const challenge = (await get('/api/v1/hi')).headers.get('www-authenticate')
    const scope = `api://${apiApplicationId}/.default`
    assert.equal(challenge, `Bearer realm="api", scope="${scope}"`)
    const response = await get('/.well-known/oauth-protected-resource')
    assert.equal(response.headers.get('content-type'), 'application/json')
    assert.deepEqual(await response.json(), {
      resource: baseUrl,
      authorization_servers: [`https://login.microsoftonline.com/${tenantId}/v2.0`],
      scopes_supported: [addresses.scope],
      bearer_methods_supported: ['header'],
    })
  })
})

describe('the header fields of a proxy', () => {
  it('are ignored (RS29; CVE-2026-3635)', async () => {
    const { get } = makeApp()
    const forwarded = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=gopher',
      'x-original-url': '/healthz',
      'x-rewrite-url': '/healthz',
      'x-http-method-override': 'HEAD',
      'x-client-cert': 'MIIC',
      'x-ssl-client-verify': 'SUCCESS',
    }
    for (const path of ['/api/v1/hi', '/openapi.json', '/.well-known/oauth-protected-resource']) {
      const [plain, other] = [await get(path), await get(path, forwarded)]
      assert.equal(other.status, plain.status)
      assert.deepEqual([...other.headers], [...plain.headers])
      assert.equal(await other.text(), await plain.text())
    }
  })
})

describe('readiness', () => {
  const readiness = async ({ get }: ReturnType<typeof makeApp>) => {
    const response = await get('/readyz')
    return [response.status, await response.json()]
  }

  it('begins when the keys are loaded, and ends when a stop begins', async () => {
    const made = makeApp()
    assert.deepEqual(await readiness(made), [503, { status: 'waiting for keys' }])
    await made.guard.start()
    assert.deepEqual(await readiness(made), [200, { status: 'ready' }])
    made.stop()
    assert.deepEqual(await readiness(made), [503, { status: 'stopping' }])
    made.guard.stop()
  })

  it('differs from liveness: without keys, the process is alive, but every greeting is 503 (FL1)', async () => {
    const { get, guard } = makeApp({ answers: false })
    await guard.start()
    assert.equal((await get('/healthz')).status, 200)
    const response = await get('/api/v1/hi', { authorization: `Bearer ${await signer.token()}` })
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '1')
    assert.equal(response.headers.get('www-authenticate'), null)
    assert.equal((await response.json()).error, 'temporarily_unavailable')
    guard.stop()
  })
})

describe('the metrics', () => {
  it('count decisions, refreshes and keys, and contain no token', async () => {
    const { get, guard, metrics } = makeApp()
    await guard.start()
    const token = await signer.token()
    await get('/api/v1/hi', { authorization: `Bearer ${token}` })
    await get('/api/v1/hi', { authorization: `Bearer ${token}` })
    await get('/api/v1/hi')
    const text = await metrics.registry.metrics()
    guard.stop()
    for (const line of [
      'greeting_guard_decisions_total{outcome="admitted",reason=""} 2',
      'greeting_guard_decisions_total{outcome="refused",reason="no_credentials"} 1',
      'greeting_guard_key_set_refreshes_total{result="success"} 1',
      'greeting_guard_key_changes_total{change="key_added"} 1',
      'greeting_guard_remembered_tokens 1',
    ]) {
      assert.ok(text.split('\n').includes(line), line)
    }
    assert.match(text, /^greeting_guard_keys\{url="[^"]+"\} 1$/m)
    assert.match(text, /^greeting_guard_key_set_usable\{url="[^"]+"\} 1$/m)
    assert.match(text, /^greeting_guard_key_set_age_seconds\{url="[^"]+"\} 0/m)
    for (const part of token.split('.')) assert.ok(!text.includes(part))
  })
})

describe('an unexpected error', () => {
  it('causes 500 without details, and a log line', async () => {
    const { get, logged } = makeApp({ fails: true })
    const response = await get('/api/v1/hi')
    assert.equal(response.status, 500)
    const text = await response.text()
    assert.deepEqual(JSON.parse(text), {
      error: 'server_error',
      error_description: 'The request could not be answered',
    })
    assert.equal(logged.length, 1)
  })
})
