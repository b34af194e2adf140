import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SettingsError } from '@greeting/http-service'
import { apiApplicationId, tenantId } from '../../../test/fixtures/signing-identity-provider.ts'
import { readSettings, settingNames } from '../src/settings.ts'

const required = { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId }

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    assert.equal(error.code, 'settings_invalid')
    return error.faults
  }
  return []
}

describe('the settings', () => {
  it('select real Entra ID with only the two IDs', () => {
    assert.deepEqual(readSettings(required), {
      ...required,
      AUTH_URL: 'https://login.microsoftonline.com',
      TOKEN_VERSIONS: ['1.0'],
      HOST: '127.0.0.1',
      PORT: 3000,
      HTTPS_PORT: null,
      CERTIFICATE_BINDING: 'refused',
      CLOCK_TOLERANCE_SECONDS: 60,
      TEST_KEYS: 'refused',
      KEEP_ALIVE_SECONDS: 75,
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: null,
      STOP_DELAY_SECONDS: 0,
      REMEMBERED_TOKENS: 10_000,
      REUSE_PORT: false,
      LOG_LEVEL: 'info',
    })
  })

  it('are ignored if they are empty', () => {
    const empty = Object.fromEntries(settingNames.map((name) => [name, '']))
    assert.deepEqual(readSettings({ ...empty, ...required }), readSettings(required))
  })

  const accepted: [name: string, value: string, read: unknown][] = [
    ['AUTH_URL', 'http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['ISSUER_URL', 'https://sts.chinacloudapi.cn', 'https://sts.chinacloudapi.cn'],
    ['JWKS_URL', 'https://login.example/keys', 'https://login.example/keys'],
    ['TOKEN_VERSIONS', '1.0,2.0', ['1.0', '2.0']],
    ['TOKEN_VERSIONS', '2.0', ['2.0']],
    ['HOST', '0.0.0.0', '0.0.0.0'],
    ['PORT', '0', 0],
    ['BASE_URL', 'https://api.example/greeting', 'https://api.example/greeting'],
    ['CLOCK_TOLERANCE_SECONDS', '0', 0],
    ['KEEP_ALIVE_SECONDS', '620', 620],
    ['REUSE_PORT', 'on', true],
    ['REMEMBERED_TOKENS', '0', 0],
    ['REMEMBERED_TOKENS', '1000000', 1_000_000],
    ['LOG_LEVEL', 'debug', 'debug'],
  ]
  for (const [name, value, read] of accepted) {
    it(`may contain ${name}=${value}`, () => {
      const settings: Record<string, unknown> = readSettings({ ...required, [name]: value })
      assert.deepEqual(settings[name], read)
    })
  }

  const refused: [name: string, value: string][] = [
    ['TENANT_ID', 'contoso.onmicrosoft.com'],
    ['TENANT_ID', tenantId.toUpperCase()],
    ['API_APPLICATION_ID', `api://${apiApplicationId}`],
    ['AUTH_URL', 'https://login.microsoftonline.com/'],
    ['AUTH_URL', 'login.microsoftonline.com'],
    ['ISSUER_URL', 'https://sts.windows.net/?x=1'],
    ['JWKS_URL', 'file:///etc/passwd'],
    ['TOKEN_VERSIONS', '3.0'],
    ['TOKEN_VERSIONS', '1.0, 2.0'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['PORT', '0x10'],
    ['HTTPS_PORT', 'on'],
    ['HTTPS_PORT', '65536'],
    ['CERTIFICATE_BINDING', 'yes'],
    ['BASE_URL', '/greeting'],
    ['CLOCK_TOLERANCE_SECONDS', '61'],
    ['REMEMBERED_TOKENS', '1000001'],
    ['REMEMBERED_TOKENS', '-1'],
    ['REUSE_PORT', 'yes'],
    ['KEEP_ALIVE_SECONDS', '0'],
    ['KEEP_ALIVE_SECONDS', '3601'],
    ['CLOCK_TOLERANCE_SECONDS', 'Infinity'],
    ['LOG_LEVEL', 'loud'],
  ]
  for (const [name, value] of refused) {
    it(`are refused with ${name}=${value}, and the error has the value and the expected format`, () => {
      const [fault = '', ...others] = faultsOf({ ...required, [name]: value })
      assert.deepEqual(others, [])
      assert.ok(fault.startsWith(`${name} is ${JSON.stringify(value)}; expected `), fault)
    })
  }

  const combined: [string, Record<string, string>, string[]][] = [
    ['a port without files', { HTTPS_PORT: '3443' }, ['HTTPS_CERTIFICATE_FILE', 'HTTPS_KEY_FILE']],
    [
      'a port without a key',
      { HTTPS_PORT: '0', HTTPS_CERTIFICATE_FILE: 'a.pem' },
      ['HTTPS_KEY_FILE'],
    ],
    [
      'files without a port',
      { HTTPS_CERTIFICATE_FILE: 'a', HTTPS_KEY_FILE: 'b' },
      ['HTTPS_CERTIFICATE_FILE', 'HTTPS_KEY_FILE'],
    ],
    ['bound tokens without HTTPS', { CERTIFICATE_BINDING: 'enforced' }, ['CERTIFICATE_BINDING']],
  ]
  for (const [what, values, names] of combined)
    it(`for HTTPS are refused together: ${what}`, () => {
      const faults = faultsOf({ ...required, ...values })
      assert.deepEqual(
        faults.map((fault) => fault.split(' ', 1)[0]),
        names,
      )
    })

  it('never reveal the password in a URL', () => {
    const [fault] = faultsOf({ ...required, AUTH_URL: 'https://user:canary@login.example' })
    assert.match(fault ?? '', /AUTH_URL is "https:\/\/\*\*\*@login\.example"/)
  })

  it('are refused with one error for all of them', () => {
    const faults = faultsOf({ PORT: 'many', LOG_LEVEL: 'loud', AUTH_URL: 'nowhere' })
    assert.deepEqual(
      faults.map((fault) => fault.split(' ', 1)[0]),
      ['TENANT_ID', 'API_APPLICATION_ID', 'AUTH_URL', 'PORT', 'LOG_LEVEL'],
    )
  })
})
