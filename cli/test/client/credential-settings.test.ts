import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chosenCredential, mergeSettings } from '../../src/client/client-settings.ts'

const titleOf = (settings: Record<string, string>) => {
  const row = chosenCredential(settings)
  return typeof row === 'string' ? row : row.title
}

describe('the credential settings', () => {
  const rows: readonly (readonly [Record<string, string>, string])[] = [
    [{ CLIENT_SECRET: 's' }, 'a client secret'],
    [{ CLIENT_SECRET: 's', CLIENT_SECRET_NEXT: 't' }, 'a client secret'],
    [{ CLIENT_SECRET_FILE: 'f' }, 'a client secret in a file'],
    [{ CLIENT_CERTIFICATE_FILE: 'f', CLIENT_KEY_FILE: 'k' }, 'a certificate'],
    [{ CLIENT_ASSERTION_FILE: 'f' }, 'a federated assertion in a file'],
    [{ CLIENT_SECRET: '', CLIENT_ASSERTION_FILE: 'f' }, 'a federated assertion in a file'],
    [
      {},
      'CLIENT_SECRET is missing (or set CLIENT_SECRET_FILE, CLIENT_CERTIFICATE_FILE, CLIENT_ASSERTION_FILE)',
    ],
    [
      { CLIENT_SECRET: 's', CLIENT_SECRET_FILE: 'f' },
      'set only one of CLIENT_SECRET and CLIENT_SECRET_FILE',
    ],
  ]
  for (const [settings, expected] of rows) {
    it(`${Object.keys(settings).join(', ') || 'absent'}: ${expected}`, () => {
      assert.equal(titleOf(settings), expected)
    })
  }

  it('create one kind of credential each', () => {
    const kindOf = (setting: string) => {
      const row = chosenCredential({ [setting]: 'x' })
      return typeof row === 'object' && row.make(() => 'x').kind
    }
    assert.equal(kindOf('CLIENT_SECRET'), 'secret')
    assert.equal(kindOf('CLIENT_SECRET_FILE'), 'secret')
    assert.equal(kindOf('CLIENT_CERTIFICATE_FILE'), 'certificate')
    assert.equal(kindOf('CLIENT_ASSERTION_FILE'), 'assertion')
  })

  it('replace all settings in the file if they are in the environment', () => {
    const file = { CLIENT_SECRET: 'local', CLIENT_SECRET_EXPIRES: '2030-01-01', TENANT_ID: 't' }
    assert.deepEqual(mergeSettings({ CLIENT_SECRET_FILE: 'f', CLIENT_ID: 'c' }, file), {
      CLIENT_SECRET_FILE: 'f',
      CLIENT_ID: 'c',
      TENANT_ID: 't',
    })
    assert.deepEqual(mergeSettings({ CLIENT_ID: 'c' }, file), { ...file, CLIENT_ID: 'c' })
  })

  it('ignore the scope in the file if they are in the environment', () => {
    const [scope, api] = [{ SCOPE: 's' }, { API_APPLICATION_ID: 'a' }]
    assert.deepEqual(mergeSettings(scope, { ...api, TENANT_ID: 't' }), { ...scope, TENANT_ID: 't' })
    assert.deepEqual(mergeSettings(api, scope), api)
    assert.deepEqual(mergeSettings({}, { ...scope, ...api }), { ...scope, ...api })
  })
})
