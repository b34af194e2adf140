import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import * as registrations from './compose-registrations.ts'

const folder = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

type Service = {
  readonly image: string
  readonly build?: { readonly dockerfile: string; readonly target: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build !== undefined)
const page = (target: string | undefined) =>
  read(`../docs/reference/${target === 'api' ? 'greeting-api' : target}.md`)

describe('compose.yaml', () => {
  it('starts two identity providers and two APIs, without privileges', () => {
    assert.deepEqual(
      ours.map(([name]) => name),
      ['identity-provider-1', 'identity-provider-2', 'api-1', 'api-2'],
    )
    for (const [, { read_only, cap_drop }] of ours)
      assert.deepEqual({ read_only, cap_drop }, { read_only: true, cap_drop: ['ALL'] })
  })

  for (const [name, { image }] of services.filter((one) => !ours.includes(one)))
    it(`pins the version of ${name}`, () => {
      assert.match(image, /:v?\d+\.\d+(\.\d+)?$/)
    })

  for (const [name, { build, environment = {} }] of ours) {
    it(`sets only documented settings of ${name}`, () => {
      for (const setting of Object.keys(environment))
        assert.ok(page(build?.target).includes(`| \`${setting}\` |`), setting)
    })
  }

  it('registers the same objects as the example API, with fixed IDs', () => {
    const made = JSON.parse(registrations.text)
    const advice = 'run npm run generate'
    assert.deepEqual(JSON.parse(read('compose/registrations.json')), made, advice)
  })

  it('sets the issuer, which would otherwise be the address of each listener', () => {
    for (const [, { environment }] of ours) {
      assert.ok(environment?.AUTH_URL)
      assert.equal(environment.ISSUER_URL, environment.AUTH_URL)
    }
  })

  it('names volumes, files and services that exist', () => {
    for (const [name, { volumes = [], depends_on = {} }] of services) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':')
        const exists = source.startsWith('.')
          ? existsSync(join(folder, source))
          : source in compose.volumes
        assert.ok(exists, `${name}: ${volume}`)
      }
      for (const other of Object.keys(depends_on)) assert.ok(other in compose.services, other)
    }
  })

  it('contains no password, but a variable with a remedy for each', () => {
    const secret = /PASSWORD: |_KEY: |postgres:\/\//
    const lines = read('compose.yaml')
      .split('\n')
      .filter((line) => secret.test(line))
    assert.ok(lines.length > 3)
    for (const line of lines) assert.match(line, /\$\{\w+:\?write deploy\/\.env first/)
  })

  it('uses the tenant and the API in its registrations file', () => {
    const { tenant, apis } = JSON.parse(read('compose/registrations.json'))
    const { TENANT_ID, API_APPLICATION_ID, JWKS_URL } = compose.services['api-1']?.environment ?? {}
    assert.deepEqual([TENANT_ID, API_APPLICATION_ID], [tenant.id, apis[0].applicationId])
    assert.ok(JWKS_URL?.includes(tenant.id))
  })

  it('lets Prometheus read each service at its metrics port', () => {
    const { scrape_configs } = parse(read('compose/prometheus.yaml'))
    const targets = scrape_configs.flatMap(
      (job: { static_configs: { targets: string[] }[] }) => job.static_configs[0]?.targets,
    )
    assert.deepEqual(
      targets,
      ours.map(([name, { environment }]) => `${name}:${environment?.METRICS_PORT}`),
    )
  })
})
