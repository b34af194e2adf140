import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { expected, hostName, originUrl, wholeNumber } from '../../src/settings/setting-schemas.ts'
import { misspeltSettings, SettingsError, settingsOf } from '../../src/settings/settings-reader.ts'

const schema = z.object({
  NAME: z.string(expected('a name')),
  HOST: hostName.default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).prefault('80'),
  AUTH_URL: originUrl.optional(),
  KEY: z.string().length(32, expected('32 characters')).optional(),
})
const { readSettings } = settingsOf({
  service: 'test service',
  shape: schema.shape,
  schema,
  secretNames: ['KEY'],
})

describe('the settings reader', () => {
  it('uses defaults for values that are absent or empty', () => {
    assert.deepEqual(readSettings({ NAME: 'a', HOST: '', PORT: undefined }), {
      NAME: 'a',
      HOST: '127.0.0.1',
      PORT: 80,
    })
  })

  it('refuses a setting whose name begins with a byte order mark', () => {
    for (const name of ['NAME', 'AUTH_URL'])
      assert.throws(
        () => readSettings({ NAME: 'a', [`\ufeff${name}`]: 'canary' }),
        new RegExp(`:\n  ${name} has a byte order mark \\(U\\+FEFF\\) before its name$`),
      )
  })

  it('reports all errors together, without passwords and secrets', () => {
    const environment = { PORT: '1e3', AUTH_URL: 'https://user:canary@host', KEY: 'canary' }
    assert.throws(
      () => readSettings(environment),
      (error: unknown) => {
        assert.ok(error instanceof SettingsError)
        assert.equal(error.code, 'settings_invalid')
        assert.deepEqual(error.message.split('\n'), [
          'The test service cannot start with these settings:',
          '  NAME is not set; expected a name',
          '  PORT is "1e3"; expected a whole number from 0 to 65535',
          '  AUTH_URL is "https://***@host"; expected an http or https URL without a slash at its end',
          '  KEY has an invalid value; expected 32 characters',
        ])
        return true
      },
    )
  })
})

describe('the search for misspelt settings', () => {
  const names =
    'HOST PORT HTTPS_PORT LAB PORTAL DATA_DIR TENANT_ID AUTH_URL JWKS_URL DATABASE_URL TRUSTED_PROXIES LOG_LEVEL OTEL_SERVICE_NAME'.split(
      ' ',
    )
  const rows = [
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['TRUSTEDPROXIES', 'TRUSTED_PROXIES'],
    ['JWKS_URI', 'JWKS_URL'],
    ['TENANTID', 'TENANT_ID'],
    ['DATABASE_URI', 'DATABASE_URL'],
  ] as const
  for (const [variable, setting] of rows)
    it(`finds ${setting} for ${variable}`, () => {
      const environment = { [variable]: 'canary', TENANT_ID: '' }
      assert.deepEqual(misspeltSettings(environment, names), [[variable, setting]])
    })

  it('finds nothing for usual variables', () => {
    const usual =
      'HOME LANG PATH SHELL HOSTNAME TERM LOGNAME PGHOST PGPORT POSTGRES_HOST DATABASE_HOST DATABASE_PORT API_PORT HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_ENV NODE_NAME NODE_OPTIONS NODE_EXTRA_CA_CERTS POD_NAME POD_IP KUBERNETES_PORT KUBERNETES_SERVICE_HOST GREETING_API_PORT GREETING_API_SERVICE_PORT GREETING_API_PORT_3000_TCP AZURE_TENANT_ID AZURE_AUTHORITY_HOST OTEL_TRACES_SAMPLER OTEL_RESOURCE_ATTRIBUTES INVOCATION_ID CREDENTIALS_DIRECTORY trusted_proxys'
    const environment = Object.fromEntries(usual.split(' ').map((name) => [name, '']))
    assert.deepEqual(misspeltSettings(environment, names), [])
  })
})
