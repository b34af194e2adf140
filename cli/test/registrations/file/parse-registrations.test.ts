import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import {
  parseRegistrations,
  RegistrationsFileError,
} from '../../../src/registrations/file/parse-registrations.ts'
import { services } from '../../../src/system/services.ts'
import { sampleFile } from '../sample-file.ts'

const parse = (file: unknown) => parseRegistrations(JSON.stringify(file))

/** The faults of the sample after something in it was replaced, one line each. */
function faultsAfter(path: readonly (string | number)[], value: unknown): string[] {
  const file: unknown = {
    ...sampleFile(),
    clients: [...sampleFile().clients, { displayName: 'Other client' }],
  }
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => Reflect.get(Object(at), step), file)
  Reflect.set(Object(parent), path.at(-1) ?? '', value)
  try {
    parse(file)
    return []
  } catch (error) {
    assert.ok(error instanceof RegistrationsFileError)
    return error.faults.map((fault) => `${fault.path} ${fault.message}`)
  }
}

const role = ['apis', 0, 'appRoles', 0] as const
const api = ['apis', 0] as const
const client = ['clients', 0] as const

const refusals: [string, readonly (string | number)[], unknown, string][] = [
  [
    'a role value with a space',
    [...role, 'value'],
    'Call Hi',
    "apis[0].appRoles[0].value must not contain spaces or start with a dot; letters, digits and :!#$%&'()*+,-./;<=>?@[]^_`{|}~ are allowed",
  ],
  [
    'a role value that starts with a dot',
    [...role, 'value'],
    '.Hi',
    "apis[0].appRoles[0].value must not contain spaces or start with a dot; letters, digits and :!#$%&'()*+,-./;<=>?@[]^_`{|}~ are allowed",
  ],
  [
    'a role value that is too long',
    [...role, 'value'],
    'R'.repeat(121),
    'apis[0].appRoles[0].value must have at most 120 characters',
  ],
  ['a role without value', [...role, 'value'], undefined, 'apis[0].appRoles[0].value is missing'],
  [
    'a role without description',
    [...role, 'description'],
    ' ',
    'apis[0].appRoles[0].description must have at least 1 character',
  ],
  ['a role id that is no GUID', [...role, 'id'], '1', 'apis[0].appRoles[0].id must be a GUID'],
  [
    'a role for users only',
    [...role, 'allowedMemberTypes'],
    ['User'],
    'apis[0].appRoles[0].allowedMemberTypes must contain "Application"',
  ],
  [
    'a member type that is given twice',
    [...role, 'allowedMemberTypes'],
    ['Application', 'Application'],
    'apis[0].appRoles[0].allowedMemberTypes must not name a type twice',
  ],
  [
    'a member type that does not exist',
    [...role, 'allowedMemberTypes'],
    ['application'],
    'apis[0].appRoles[0].allowedMemberTypes[0] must be "Application" or "User"',
  ],
  [
    'a role of another origin',
    [...role, 'origin'],
    'ServicePrincipal',
    'apis[0].appRoles[0].origin must be "Application"',
  ],
  [
    'a property that is misspelt',
    [...api, 'appRole'],
    [],
    'apis[0].appRole is no property of this format',
  ],
  [
    'a role value that is given twice',
    ['apis', 0, 'appRoles', 1, 'value'],
    'CallHiApiRole',
    'apis[0].appRoles[1].value "CallHiApiRole" is given twice',
  ],
  [
    'an identifier URI with a final slash',
    [...api, 'identifierUris'],
    ['api://orders/'],
    'apis[0].identifierUris[0] must be an absolute URI without spaces, query, fragment and final slash',
  ],
  [
    'a token version that does not exist',
    [...api, 'requestedAccessTokenVersion'],
    3,
    'apis[0].requestedAccessTokenVersion must be 1 or 2',
  ],
  ['an API without name', [...api, 'displayName'], 7, 'apis[0].displayName must be of type string'],
  [
    'a permission for a role that its API does not declare',
    [...client, 'permissions', 0, 'roles', 0],
    'CallHiApirole',
    'clients[0].permissions[0].roles[0] the API "Greeting API" declares no role "CallHiApirole"',
  ],
  [
    'a consent to what is not requested',
    [...client, 'permissions', 0, 'roles'],
    ['CallHiApiRole'],
    'consents[0].roles[1] the client "Greeting client" does not request the permission "CallHelloApiRole": admin consent grants what is requested',
  ],
  [
    'a consent for an API that the client does not request',
    [...client, 'permissions'],
    [],
    'consents[0].api the client "Greeting client" requests no permission of the API "Greeting API"',
  ],
  [
    'a consent for all that is requested, where the requests are not managed',
    ['consents', 1],
    { client: 'Other client', api: 'Greeting API' },
    'consents[1].roles must be given, because the client "Other client" has no permissions here',
  ],
  [
    'a consent for a client that is not declared',
    ['consents', 0, 'client'],
    'greeting client',
    'consents[0].client no client of this file is "greeting client"',
  ],
  [
    'a consent that is given twice',
    ['consents', 1],
    { client: 'Greeting client', api: 'Greeting API' },
    'consents[1] is given twice for this client and this API',
  ],
  [
    'a client that is declared twice',
    ['clients', 2],
    { displayName: 'Greeting client' },
    'clients[2].displayName "Greeting client" is given twice',
  ],
  [
    'a secret that is given twice',
    [...client, 'secrets', 1],
    { displayName: 'primary' },
    'clients[0].secrets[1].displayName "primary" is given twice',
  ],
  [
    'an overlap that never ends',
    [...client, 'secrets', 0],
    { displayName: 'primary', lifetimeDays: 30, overlapDays: 30 },
    'clients[0].secrets[0].overlapDays must be less than lifetimeDays, or every run would rotate the secret',
  ],
  [
    'a lifetime of no days',
    [...client, 'secrets', 0],
    { displayName: 'primary', lifetimeDays: 0, overlapDays: 0 },
    'clients[0].secrets[0].lifetimeDays must be at least 1',
  ],
  [
    'an application that is declared and removed',
    ['removed'],
    ['Greeting API'],
    'removed[0] "Greeting API" is also declared in this file',
  ],
  [
    'one application with two ids',
    ['clients', 1],
    { displayName: 'Greeting API', applicationId: '9b1f6c52-63a8-4f0a-8f5c-1d7a3e0f8a01' },
    'clients[1].applicationId must be that of the API "Greeting API", which is the same application',
  ],
]

describe('a registrations file', () => {
  it('may leave out what has one sensible value', () => {
    const { apis, clients, removed } = parse(sampleFile())
    assert.deepEqual(apis[0]?.appRoles[0]?.allowedMemberTypes, ['Application'])
    assert.equal(apis[0]?.appRoles[0]?.isEnabled, true)
    assert.deepEqual(clients[0]?.secrets, [
      { displayName: 'primary', lifetimeDays: 180, overlapDays: 30 },
    ])
    assert.deepEqual(removed, [])
  })

  it('takes a role entry with its eight fields (contract C20 to C27)', () => {
    const entry = {
      allowedMemberTypes: ['Application'],
      description: 'Grants access to the hi endpoint.',
      displayName: 'Call hi',
      id: '5D7F1E52-0C0B-4B0A-9C39-F1C8E3BFCE01',
      isEnabled: true,
      lang: null,
      origin: 'Application',
      value: 'CallHiApiRole',
    }
    const { apis } = parse({ apis: [{ displayName: 'Greeting API', appRoles: [entry] }] })
    assert.deepEqual(apis[0]?.appRoles[0], { ...entry, id: entry.id.toLowerCase() })
  })

  for (const [fault, path, value, message] of refusals) {
    it(`does not have ${fault}`, () => {
      assert.equal(faultsAfter(path, value)[0], message)
    })
  }

  it('is the one that the system starts with', async () => {
    const { apis } = parseRegistrations(await readFile(services.registrationsFile, 'utf8'))
    const values = apis.flatMap(({ appRoles }) => appRoles.map(({ value }) => value))
    assert.deepEqual(values, ['CallHiApiRole', 'CallHelloApiRole'])
  })

  it('is told of all its faults together', () => {
    assert.throws(
      () => parse({ apis: [{ displayName: '' }], clients: {} }),
      (error) => error instanceof RegistrationsFileError && error.faults.length === 3,
    )
  })

  const bytes = (file: string) => Buffer.from(file, 'latin1')
  const texts: [string, Buffer, string][] = [
    ['is not UTF-8', bytes('{"tenant":{"displayName":"a\xff"}}'), 'is not UTF-8'],
    ['ends within a character', bytes('{"removed":["\xe2\x82"]}'), 'is not UTF-8'],
    ['has a member twice', bytes('{"clients":[],"clients":[]}'), 'clients is given twice'],
    [
      'has members twice, with escapes and deep inside',
      bytes('{"apis":[{},{"displayName":"a","display\\u004eame":"b"}],"tenant":{"id":1,"id":2}}'),
      'apis[1].displayName is given twice; tenant.id is given twice',
    ],
  ]
  for (const [what, file, message] of texts)
    it(`that ${what} is refused`, () => {
      assert.throws(() => parseRegistrations(file), { message })
    })

  it('that is nested deep is refused without delay', () => {
    const depth = 100_000
    const file = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const startMs = performance.now()
    assert.throws(() => parseRegistrations(file), { message: 'a is no property of this format' })
    assert.ok(performance.now() - startMs < 5_000)
  })

  it('may begin with a byte order mark', () => {
    assert.deepEqual(parseRegistrations(Buffer.from('\ufeff{}')).apis, [])
  })

  it('that is no JSON is said to be none', () => {
    assert.throws(() => parseRegistrations('{ "apis": [}'), {
      code: 'REGISTRATIONS_FILE_INVALID',
      message: /^is not JSON: /,
    })
  })
})
