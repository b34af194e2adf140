import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  graphAppId,
  ownerTenantId,
  serverManagementAppId,
} from '../../src/directory/privileged-api-ids.ts'
import { systemRuntime } from '../../src/directory/runtime.ts'
import { parseRegistrations, RegistrationsError } from '../../src/registrations/registrations.ts'
import { guid } from '../directory/sample.ts'

const text = readFileSync(join(import.meta.dirname, 'sample.json'), 'utf8')
const shipped = join(import.meta.dirname, '../../../../registrations/greeting.json')
const leftOut = { newGuid: systemRuntime.newGuid, tenantId: guid(1) }

/** The message for the sample with some fields set, each by its path. */
function messageWith(fields: Readonly<Record<string, unknown>>): string {
  const file = JSON.parse(text)
  for (const [path, value] of Object.entries(fields)) {
    const steps = path.split('.')
    const last = steps.pop() ?? ''
    const object = steps.reduce((inside, step) => inside[step], file)
    object[last] = value
  }
  try {
    parseRegistrations(JSON.stringify(file), 'some.json', leftOut)
  } catch (error) {
    assert.ok(error instanceof RegistrationsError)
    return error.message
  }
  return 'let in'
}

const role = 'apis.0.appRoles.0'
const anyName =
  'must contain a verified domain of the tenant, the id of the tenant, or the application id'

describe('a registrations file', () => {
  it('has the app roles of contract C20 to C27', () => {
    const { apis, clients, consents } = parseRegistrations(text, 'greeting.json', leftOut)
    assert.deepEqual(
      apis[0]?.appRoles.map(({ value }) => value),
      ['CallHiApiRole', 'CallHelloApiRole'],
    )
    assert.deepEqual(Object.keys(JSON.parse(text).apis[0].appRoles[0]), [
      'allowedMemberTypes',
      'description',
      'displayName',
      'id',
      'isEnabled',
      'lang',
      'origin',
      'value',
    ])
    assert.equal(apis[0]?.identifierUris[0], `api://${apis[0]?.applicationId}`)
    assert.equal(clients.length, 1)
    assert.equal(consents.length, 1)
  })

  it('may be the one of the repository, which leaves every id to the directory', () => {
    const { tenant, apis, clients, consents } = parseRegistrations(
      readFileSync(shipped, 'utf8'),
      shipped,
      leftOut,
    )
    assert.equal(tenant.id, guid(1))
    assert.match(apis[0]?.applicationId ?? '', /^[0-9a-f-]{36}$/)
    assert.deepEqual(apis[0]?.identifierUris, [`api://${apis[0]?.applicationId}`])
    assert.notEqual(clients[0]?.applicationId, apis[0]?.applicationId)
    assert.deepEqual(consents[0]?.roles, ['CallHiApiRole', 'CallHelloApiRole'])
  })

  it('may say only what is its own: the rest of a role, and consent to all that is requested', () => {
    const file = {
      apis: [{ displayName: 'A', appRoles: [{ value: 'R', displayName: 'R', description: 'R' }] }],
      clients: [{ displayName: 'C', permissions: [{ api: 'A', roles: ['R'] }] }],
      consents: [{ client: 'C', api: 'A' }],
    }
    const { apis, consents } = parseRegistrations(JSON.stringify(file), 'some.json', leftOut)
    const { id: _id, ...role } = apis[0]?.appRoles[0] ?? { id: '' }
    assert.deepEqual(role, {
      allowedMemberTypes: ['Application'],
      description: 'R',
      displayName: 'R',
      isEnabled: true,
      lang: null,
      origin: 'Application',
      value: 'R',
    })
    assert.deepEqual(consents[0]?.roles, ['R'])
  })

  const reserved: [string, string, string][] = [
    ['tenant.id', ownerTenantId, 'tenant.id must not be the id that owns the management APIs'],
    ...[graphAppId, serverManagementAppId.toUpperCase()].flatMap((id): typeof reserved => [
      ['apis.0.applicationId', id, 'apis[0].applicationId must not be that of a management API'],
      ['clients.0.applicationId', id, 'clients[0].applicationId must not be that of a management'],
    ]),
  ]
  for (const [path, value, expected] of reserved)
    it(`takes over no management API: ${path} is not ${value} (AS32)`, () => {
      const message = messageWith({ [path]: value })
      assert.ok(message.includes(expected), message)
    })

  const rows: [string, unknown, string][] = [
    [`${role}.id`, 'hi', 'apis[0].appRoles[0].id must be a GUID'],
    [`${role}.value`, null, 'apis[0].appRoles[0].value must be a text'],
    [`${role}.lang`, 'en', 'apis[0].appRoles[0].lang must be null'],
    [`${role}.origin`, 'User', 'apis[0].appRoles[0].origin must be "Application"'],
    [`${role}.isEnabled`, 'yes', 'apis[0].appRoles[0].isEnabled must be true or false'],
    [`${role}.valeu`, 'x', 'apis[0].appRoles[0].valeu is not known here'],
    [
      `${role}.allowedMemberTypes`,
      ['User'],
      'apis[0].appRoles[0].allowedMemberTypes must contain "Application"',
    ],
    [
      `${role}.allowedMemberTypes`,
      ['Device'],
      'apis[0].appRoles[0].allowedMemberTypes[0] must be "Application" or "User"',
    ],
    ...[
      'tenant.displayName',
      'apis.0.displayName',
      'apis.0.identifierUris.0',
      `${role}.description`,
      `${role}.displayName`,
      `${role}.value`,
      'clients.0.displayName',
      'clients.0.secrets.0.displayName',
    ].flatMap((path): typeof rows => {
      const field = path.replaceAll(/\.(\d+)/g, '[$1]')
      return [
        [path, 'a\u0000b', `${field} must not contain control characters`],
        [path, 'a\ud800b', `${field} must not contain half a surrogate pair`],
      ]
    }),
    ['tenant.id', 'contoso', 'tenant.id must be a GUID'],
    ['tenant.domains', ['not a domain'], 'tenant.domains[0] must be a domain name'],
    ['apis.0.identifierUris', ['api://other'], `apis[0].identifierUris[0] ${anyName}`],
    ['apis.0.identifierUris', [], 'apis[0].identifierUris must name the API at least once'],
    ['apis.0.requestedAccessTokenVersion', 3, 'apis[0].requestedAccessTokenVersion must be 1 or 2'],
    [
      'clients.0.permissions.0.roles',
      ['CallHiApiRole', 'CallHelloApiRole', 'Bye'],
      'clients[0].permissions[0].roles[2] names no app role of Greeting API: "Bye"',
    ],
    ['clients.0.permissions.0.roles', [], 'clients[0].permissions[0].roles must not be empty'],
    ['consents.0.client', 'Nobody', 'consents[0].client names no client: "Nobody"'],
    ['consents.0.api', 'Nothing', 'consents[0].api names no API: "Nothing"'],
    [
      'clients.0.permissions.0.roles',
      ['CallHiApiRole'],
      'consents[0].roles[1] is not among the permissions that Greeting client requests: "CallHelloApiRole"',
    ],
    [
      'clients.0.displayName',
      'Greeting API',
      'clients[0].displayName is used twice: "Greeting API"',
    ],
  ]
  for (const [path, value, fault] of rows) {
    it(`is refused when ${path} is ${JSON.stringify(value)}, by the name of the field`, () => {
      const message = messageWith({ [path]: value })
      assert.match(message, /^The registrations in some\.json are wrong: .*\.$/)
      assert.ok(message.includes(fault), message)
    })
  }

  it('is refused for a permission of an API that it does not register', () => {
    const message = messageWith({ 'clients.0.permissions.0.api': 'Other' })
    assert.match(message, /clients\[0\]\.permissions\[0\]\.api names no API: "Other"/)
  })

  it('is refused for role ids and values that are given twice', () => {
    const [first] = JSON.parse(text).apis[0].appRoles
    const message = messageWith({ 'apis.0.appRoles.1': first })
    assert.match(message, /apis\[0\]\.appRoles\[1\]\.id must be unique/)
    assert.match(message, /apis\[0\]\.appRoles\[1\]\.value must be unique/)
  })

  it('is told every fault together', () => {
    const message = messageWith({ [`${role}.value`]: 'Call Hi', [`${role}.description`]: '' })
    assert.match(message, /appRoles\[0\].value must not contain spaces/)
    assert.match(message, /appRoles\[0\]\.description must not be empty/)
  })

  const bytes = (file: string) => Buffer.from(file, 'latin1')
  const texts: [string, Buffer, string][] = [
    [
      'bytes that are not UTF-8',
      bytes('{"apis":[],"tenant":{"displayName":"a\xff"}}'),
      'are not UTF-8.',
    ],
    ['half a sequence of UTF-8', bytes('{"removed":["\xe2\x82"]}'), 'are not UTF-8.'],
    [
      'a member that is given twice',
      bytes('{"clients":[],"clients":[]}'),
      'are wrong: clients is given twice.',
    ],
    [
      'members that are given twice, with escapes and deep inside',
      bytes('{"apis":[{},{"displayName":"a","display\\u004eame":"b"}],"tenant":{"id":1,"id":2}}'),
      'are wrong: apis[1].displayName is given twice; tenant.id is given twice.',
    ],
  ]
  for (const [what, file, message] of texts)
    it(`is refused for ${what}`, () => {
      assert.throws(() => parseRegistrations(file, 'some.json', leftOut), {
        message: `The registrations in some.json ${message}`,
      })
    })

  it('may begin with a byte order mark', () => {
    const marked = Buffer.from(`\ufeff${text}`)
    assert.equal(parseRegistrations(marked, 'some.json', leftOut).apis.length, 1)
  })

  it('is refused when it is not JSON', () => {
    assert.throws(() => parseRegistrations('{', 'some.json', leftOut), {
      name: 'RegistrationsError',
      code: 'REGISTRATIONS_INVALID',
      message: 'The registrations in some.json are not JSON.',
    })
  })
})
