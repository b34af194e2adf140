import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownerTenantId } from '@greeting/directory'
import { SettingsError } from '@greeting/http-service'
import { readSettings, settingNames } from '../../src/startup/settings.ts'

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readSettings(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    assert.equal(error.code, 'settings_invalid')
    return error.faults
  }
}

describe('the settings', () => {
  it('have defaults, except the optional ones', () => {
    assert.deepEqual(readSettings({}), {
      HOST: '127.0.0.1',
      PORT: 4000,
      HTTPS_PORT: 4443,
      MTLS_PORT: null,
      CLIENT_CERT_PROXIES: [],
      KEEP_ALIVE_SECONDS: 75,
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: null,
      METRICS_CLIENT_IDS: [],
      METRICS_TENANT_IDS: [],
      STOP_DELAY_SECONDS: 0,
      HTTPS_NAMES: [],
      DATA_DIR: '.greeting',
      LOST_CHANGES: 'refuse',
      DELETED_ITEMS_RETENTION_DAYS: 30,
      DATABASE_READ_STALENESS_SECONDS: 300,
      DIRECTORY_CACHE_OBJECTS: 100_000,
      NEW_ADMINISTRATOR: 'no',
      VISIBILITY_DELAY_SECONDS: 0,
      KEY_ROTATE_AFTER_DAYS: 90,
      KEY_ANNOUNCE_DAYS: 14,
      TOKEN_LIFETIME_SECONDS: { shortest: 3600, longest: 3600 },
      TOKEN_BACKDATING_SECONDS: 300,
      ASSERTION_USE: 'until-expiry',
      ASSERTION_LIFETIME_SECONDS: 3600,
      CLOCK_TOLERANCE_SECONDS: 60,
      FEDERATED_ISSUER_HOSTS: [],
      WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE: 20,
      WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: 60,
      MAX_SIGN_IN_RECORDS: 1_000_000,
      MAX_UNAUTHENTICATED_RECORDS: 100_000,
      MAX_REFUSED_CHANGE_RECORDS: 100_000,
      AUDIT_EXPORT: [],
      MAX_USED_ASSERTIONS: 1_000_000,
      TRUSTED_PROXIES: [],
      LAB: 'off',
      LAB_ANY_ADDRESS: 'no',
      MCP_CLIENTS: 'off',
      REUSE_PORT: false,
      LOG_LEVEL: 'info',
    })
  })

  const readings: [string, unknown, unknown][] = [
    // Values of a program
    ['PORT', 0, 0],
    ['TOKEN_LIFETIME_SECONDS', 900, { shortest: 900, longest: 900 }],
    ['TRUSTED_PROXIES', ['10.0.0.0/8', '2001:DB8::1'], ['10.0.0.0/8', '2001:db8::1']],
    ['TRUSTED_PROXIES', [], []],
    // Texts of an environment
    ['PORT', '0', 0],
    ['PORT', '', 4000],
    ['PORT', 'off', null],
    ['HTTPS_PORT', '8443', 8443],
    ['KEEP_ALIVE_SECONDS', '620', 620],
    ['REUSE_PORT', 'on', true],
    ['METRICS_PORT', '9464', 9464],
    ['STOP_DELAY_SECONDS', '5', 5],
    ['LOST_CHANGES', 'accept', 'accept'],
    ['HTTPS_PORT', 'off', null],
    ['HTTPS_NAMES', 'Login.contoso.example', ['login.contoso.example']],
    ['HTTPS_AUTH_URL', 'https://login.example', 'https://login.example'],
    ['TOKEN_LIFETIME_SECONDS', '3600-5400', { shortest: 3600, longest: 5400 }],
    ['FEDERATED_ISSUER_HOSTS', 'A.example, b.example:8443,', ['a.example', 'b.example:8443']],
    ['TRUSTED_PROXIES', '10.0.0.0/8, 2001:DB8::1', ['10.0.0.0/8', '2001:db8::1']],
    ['CLIENT_CERT_PROXIES', '10.0.0.1', ['10.0.0.1']],
    ['ISSUER_URL', 'https://sts.windows.net', 'https://sts.windows.net'],
    ['AUTH_URL', 'https://login.example/base', 'https://login.example/base'],
    ['DATABASE_URL', 'postgres://u@h1:1,h2:2/d', 'postgres://u@h1:1,h2:2/d'],
  ]
  for (const [name, value, read] of readings) {
    it(`read ${name}=${JSON.stringify(value)} as ${JSON.stringify(read)}`, () => {
      assert.deepEqual(readSettings({ [name]: value })[name as 'PORT'], read)
    })
  }

  it('read each log store in AUDIT_EXPORT once, and disable tables with them', () => {
    const { AUDIT_EXPORT, MAX_SIGN_IN_RECORDS } = readSettings({
      AUDIT_EXPORT: 'otlp, file:/Audit.jsonl,unix:/s,tcp://[::1]:5170,tls://logs.example:6514,otlp',
      MAX_SIGN_IN_RECORDS: '0',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://127.0.0.1:4318/v1/logs',
    })
    assert.deepEqual(
      AUDIT_EXPORT.map(({ kind, path, host, port }) => [kind, path || `${host} ${port}`]),
      [
        ['otlp', ' 1'],
        ['file', '/Audit.jsonl'],
        ['unix', '/s'],
        ['tcp', '::1 5170'],
        ['tls', 'logs.example 6514'],
      ],
    )
    assert.equal(MAX_SIGN_IN_RECORDS, 0)
    assert.equal(readSettings({ AUDIT_EXPORT: ['file:/a'] }).AUDIT_EXPORT[0]?.path, '/a')
  })

  it('let the operating system choose both ports if PORT is 0', () => {
    assert.equal(readSettings({ PORT: '0' }).HTTPS_PORT, 0)
    assert.equal(readSettings({ PORT: '0', HTTPS_PORT: '8443' }).HTTPS_PORT, 8443)
  })

  const labs: [Readonly<Record<string, string>>, 'on' | RegExp][] = [
    [{}, 'on'],
    [{ HOST: '::1' }, 'on'],
    [{ HOST: '127.8.0.1', AUTH_URL: 'http://idp.localhost:4000' }, 'on'],
    [{ HOST: '0.0.0.0', LAB_ANY_ADDRESS: 'yes' }, 'on'],
    [{ HOST: '0.0.0.0' }, /^LAB is "on"; expected off, because HOST, .* LAB_ANY_ADDRESS=yes/],
    [{ HOST: '127.evil.example' }, /is not a loopback address/],
    [{ AUTH_URL: 'https://login.example' }, /is not a loopback address/],
    [{ HTTPS_AUTH_URL: 'https://login.example' }, /is not a loopback address/],
    [{ DATABASE_URL: 'postgres://u@h/d' }, /a lab has no shared database/],
    [{ LAB_CLIENT_SECRET: 'x'.repeat(16), REGISTRATIONS: 'file.json' }, 'on'],
    [{ LAB_CLIENT_SECRET: 'x'.repeat(16) }, /expected no value, because REGISTRATIONS is not set/],
  ]
  for (const [environment, expected] of labs) {
    it(`with LAB=on and ${JSON.stringify(environment)} result in ${expected}`, () => {
      const settings = { LAB: 'on', ...environment }
      if (expected === 'on') assert.equal(readSettings(settings).LAB, 'on')
      else assert.match(faultsOf(settings).join(), expected)
    })
  }

  const labSecrets: [string, Readonly<Record<string, string>>, string][] = [
    ['without a lab', {}, 'expected no value, because LAB is off: a chosen secret is for tests'],
    ['that is short', { LAB_CLIENT_SECRET: 'canary-23456789' }, 'expected 16 to 128 printable'],
    ['that is long', { LAB_CLIENT_SECRET: 'canary'.repeat(22) }, 'expected 16 to 128 printable'],
    ['with a space', { LAB_CLIENT_SECRET: 'canary with a space' }, 'without spaces'],
    ['with an invalid character', { LAB_CLIENT_SECRET: 'canary-canary-é' }, 'printable ASCII'],
  ]
  for (const [which, values, expected] of labSecrets) {
    it(`refuse a chosen secret ${which}, without repeating it`, () => {
      const secret = { LAB_CLIENT_SECRET: 'canary-canary-canary', REGISTRATIONS: 'file.json' }
      const faults = faultsOf({ ...secret, ...values }).join()
      assert.ok(faults.startsWith('LAB_CLIENT_SECRET has an invalid value; expected '), faults)
      assert.ok(faults.includes(expected), faults)
      assert.doesNotMatch(faults, /canary/)
    })
  }

  it('require at least one listener', () => {
    assert.deepEqual(faultsOf({ PORT: 'off', HTTPS_PORT: 'off' }), [
      'HTTPS_PORT is "off"; expected a port, because PORT is off too',
    ])
  })

  const wrong: [string, string, string][] = [
    ['PORT', '65536', 'expected a port from 0 to 65535, or off'],
    ['PORT', '4000.5', 'expected a port from 0 to 65535, or off'],
    ['REUSE_PORT', 'yes', 'expected on or off'],
    ['KEEP_ALIVE_SECONDS', '0', 'expected a whole number from 1 to 3600'],
    ['METRICS_PORT', 'on', 'expected a port from 0 to 65535, or off'],
    ['METRICS_CLIENT_IDS', 'a client', 'expected at most 100 application IDs'],
    ['METRICS_TENANT_IDS', 'a tenant', 'expected at most 100 tenant IDs'],
    ['MAX_TENANT_OBJECTS', '99', 'expected a whole number from 100 to 10000000'],
    ['STOP_DELAY_SECONDS', '301', 'expected a whole number from 0 to 300'],
    ['HTTPS_PORT', 'on', 'expected a port from 0 to 65535, or off'],
    ['AUTH_URL', 'login.example', 'expected an http or https URL without a slash at its end'],
    ['AUTH_URL', 'https://login.example/', 'expected an http or https URL without a slash'],
    ['ISSUER_URL', 'ftp://sts.example', 'expected an http or https URL'],
    ['ISSUER_URL_V2', 'https://user@login.example', 'expected an http or https URL'],
    ['DATABASE_URL', 'mysql://db.example/x', 'expected postgres://'],
    ['DATABASE_URL', 'postgres://u@x/d?host=a,b,c&port=1,2', 'expected as many ports as hosts'],
    ['DATABASE_URL', 'postgres://a,b/d?target_session_attrs=standby', 'target_session_attrs to be'],
    ['DATABASE_READ_URL', 'mysql://db.example/x', 'expected postgres://'],
    ['DATABASE_READ_URL', 'postgres://u@h/d', 'expected no value, because DATABASE_URL has none'],
    ['ASSERTION_DATABASE_URL', 'mysql://db.example/x', 'expected postgres://'],
    ['ASSERTION_DATABASE_URL', 'postgres://u@h/d', 'because ASSERTION_USE is not once'],
    ['DATABASE_READ_STALENESS_SECONDS', '9', 'expected a whole number from 10 to 3600'],
    ['KEY_ENCRYPTION_KEY', 'short', 'expected 32 bytes in base64'],
    ['KEY_ROTATE_AFTER_DAYS', '731', 'expected a whole number from 2 to 730'],
    ['KEY_ANNOUNCE_DAYS', '0', 'expected a whole number from 1 to 365'],
    ['KEY_ANNOUNCE_DAYS', '90', 'must be less than'],
    ['TOKEN_LIFETIME_SECONDS', '59', 'expected seconds from 60 to 86400'],
    ['TOKEN_LIFETIME_SECONDS', '5400-3600', 'expected seconds from 60 to 86400'],
    ['TOKEN_BACKDATING_SECONDS', '601', 'expected a whole number from 0 to 600'],
    ['ASSERTION_USE', 'twice', 'expected until-expiry or once'],
    ['ASSERTION_LIFETIME_SECONDS', '59', 'expected a whole number from 60 to 86400'],
    ['CLOCK_TOLERANCE_SECONDS', '301', 'expected a whole number from 0 to 300'],
    ['WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE', '0', 'expected a whole number from 1 to 1000000'],
    ['WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE', '-1', 'expected a whole number from 1 to 1000000'],
    ['TRUSTED_PROXIES', '10.0.0.1, proxy.example', 'expected addresses or networks'],
    ['MAX_SIGN_IN_RECORDS', '999', 'expected 0, or a whole number from 1000 to 10000000'],
    ['MAX_SIGN_IN_RECORDS', '0', 'expected 1000 or more, because AUDIT_EXPORT is not set'],
    ['MAX_UNAUTHENTICATED_RECORDS', '0', 'expected 1000 or more, because AUDIT_EXPORT is not set'],
    ['MAX_REFUSED_CHANGE_RECORDS', '0', 'expected a whole number from 1000 to 10000000'],
    ['AUDIT_EXPORT', 'otlp', 'expected OTEL_EXPORTER_OTLP_LOGS_ENDPOINT or OTEL_EXPORTER_OTLP'],
    ['AUDIT_EXPORT', 'syslog', 'expected otlp, file:/path, unix:/path, tcp://host:port or tls'],
    ['AUDIT_EXPORT', 'file:audit.jsonl', 'expected otlp, file:/path'],
    ['AUDIT_EXPORT', 'file:/audit.jsonl,unix:x', 'expected otlp, file:/path'],
    ['AUDIT_EXPORT', 'tcp://logs.example', 'expected otlp, file:/path'],
    ['AUDIT_EXPORT', 'tcp://logs.example:0', 'expected otlp, file:/path'],
    ['AUDIT_EXPORT', 'tls://logs.example:65536', 'expected otlp, file:/path'],
    ['AUDIT_EXPORT', 'tcp://u:p@logs.example:5170', 'expected otlp, file:/path'],
    ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'logs:4318', 'expected an http or https URL without'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'expected addresses or networks'],
    ['TRUSTED_PROXIES', '2001:db8::/129', 'expected addresses or networks'],
    ['TRUSTED_PROXIES', '10.0.0.1:80', 'expected addresses or networks'],
    ['CLIENT_CERT_PROXIES', 'trusted-proxies', 'expected addresses or networks'],
    ['TENANT_ID', 'contoso', 'expected a GUID'],
    [
      'TENANT_ID',
      ownerTenantId,
      'expected another ID, because this tenant owns the management APIs',
    ],
    ['TENANT_ID', ownerTenantId.toUpperCase(), 'expected another ID'],
    ['NEW_ADMINISTRATOR', 'true', 'expected yes or no'],
    ['VISIBILITY_DELAY_SECONDS', '3601', 'expected a whole number from 0 to 3600'],
    ['LOG_LEVEL', 'loud', 'expected one of trace, debug, info, warn, error, fatal, silent'],
  ]
  for (const [name, value, expected] of wrong) {
    it(`refuse ${name}=${value}, with the expected format${value === ownerTenantId ? ' (AS32)' : ''}`, () => {
      const [fault = '', ...others] = faultsOf({ [name]: value })
      assert.deepEqual(others, [])
      assert.ok(fault.startsWith(name) && fault.includes(expected), fault)
    })
  }

  it('never reveal the value of a secret', () => {
    const faults = faultsOf({ KEY_ENCRYPTION_KEY: 'canary', DATABASE_URL: 'mysql://u:canary@h/d' })
    assert.equal(faults.length, 2)
    assert.doesNotMatch(faults.join(), /canary/)
  })

  it('report all errors together', () => {
    assert.equal(faultsOf({ PORT: 'x', LOG_LEVEL: 'x', ASSERTION_USE: 'x' }).length, 3)
  })

  it('have only documented names', () => {
    assert.ok(settingNames.includes('REGISTRATIONS') && settingNames.includes('DATABASE_URL'))
  })
})
