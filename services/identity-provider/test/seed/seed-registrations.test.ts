import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  graphAppId,
  ownerTenantId,
  serverManagementAppId,
  systemRuntime,
} from '@greeting/directory'
import {
  acceptedFiles,
  agentMembers,
  filesForTheCommandOnly,
  refusedFiles,
  sampleFile,
} from '@greeting/registrations/samples'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import { guid } from '../../../../test/fixtures/directory/sample.ts'
import { seedChanges } from '../../src/seed/seed-changes.ts'
import { RegistrationsError, readSeedRegistrations } from '../../src/seed/seed-registrations.ts'

const text = readFileSync(join(import.meta.dirname, 'sample.json'), 'utf8')
const shipped = join(import.meta.dirname, '../../../greeting-api/registrations.json')
const defaults = { ...systemRuntime, tenantId: guid(1) }

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
    readSeedRegistrations(JSON.stringify(file), 'some.json', defaults)
  } catch (error) {
    assert.ok(error instanceof RegistrationsError)
    return error.message
  }
  return 'accepted'
}

const role = 'apis.0.appRoles.0'
describe('a registrations file for an empty directory', () => {
  it('contains the app roles from contract C20 to C27', () => {
    const { apis, clients, consents } = readSeedRegistrations(text, 'greeting.json', defaults)
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

  it('may be the shipped file, without any ID', () => {
    const { tenant, apis, clients, consents } = readSeedRegistrations(
      readFileSync(shipped, 'utf8'),
      shipped,
      defaults,
    )
    assert.equal(tenant.id, guid(1))
    assert.match(apis[0]?.applicationId ?? '', /^[0-9a-f-]{36}$/)
    assert.deepEqual(apis[0]?.identifierUris, [`api://${apis[0]?.applicationId}`])
    assert.notEqual(clients[0]?.applicationId, apis[0]?.applicationId)
    assert.deepEqual(consents[0]?.roles, ['CallHiApiRole', 'CallHelloApiRole'])
  })

  it('gets default values for a role, and admin consent for all requested permissions', () => {
    const file = {
      apis: [{ displayName: 'A', appRoles: [{ value: 'R', displayName: 'R', description: 'R' }] }],
      clients: [{ displayName: 'C', permissions: [{ api: 'A', roles: ['R'] }] }],
      consents: [{ client: 'C', api: 'A' }],
    }
    const { apis, consents } = readSeedRegistrations(JSON.stringify(file), 'some.json', defaults)
    const { id: _id, ...role } = apis[0]?.appRoles[0] ?? { id: '' }
    assert.deepEqual(role, {
      allowedMemberTypes: ['Application'],
      description: 'R',
      displayName: 'R',
      isEnabled: true,
      value: 'R',
    })
    assert.deepEqual(consents[0]?.roles, ['R'])
  })

  const reserved: [string, string, string][] = [
    [
      'tenant.id',
      ownerTenantId,
      'tenant.id must not be the ID of the tenant that owns the management APIs',
    ],
    ...[graphAppId, serverManagementAppId.toUpperCase()].flatMap((id): typeof reserved => [
      ['apis.0.applicationId', id, 'apis[0].applicationId must not be the ID of a management API'],
      [
        'clients.0.applicationId',
        id,
        'clients[0].applicationId must not be the ID of a management',
      ],
    ]),
  ]
  for (const [path, value, expected] of reserved)
    it(`cannot replace a management API: ${path} must not be ${value} (AS32)`, () => {
      const message = messageWith({ [path]: value })
      assert.ok(message.includes(expected), message)
    })

  const rows: [string, unknown, string][] = [
    [`${role}.id`, 'hi', 'apis[0].appRoles[0].id must be a GUID'],
    [`${role}.value`, null, 'apis[0].appRoles[0].value must be of type string'],
    [`${role}.lang`, 'en', 'apis[0].appRoles[0].lang must be of type null'],
    [`${role}.origin`, 'User', 'apis[0].appRoles[0].origin must be "Application"'],
    [`${role}.isEnabled`, 'yes', 'apis[0].appRoles[0].isEnabled must be of type boolean'],
    [`${role}.valeu`, 'x', 'apis[0].appRoles[0].valeu is not a property of this format'],
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
      'clients.0.displayName',
      'clients.0.secrets.0.displayName',
    ].flatMap((path): typeof rows => {
      const field = path.replaceAll(/\.(\d+)/g, '[$1]')
      const start = path.includes('identifierUris') ? 'api://a' : 'a'
      return [
        [path, `${start}\u0000b`, `${field} must not contain control characters`],
        [path, `${start}\ud800b`, `${field} must not contain half a surrogate pair`],
      ]
    }),
    ...['a\u0000b', 'a\ud800b'].map((value): (typeof rows)[number] => [
      `${role}.value`,
      value,
      'apis[0].appRoles[0].value must not contain spaces or start with a dot; letters, digits and',
    ]),
    ['tenant.id', 'contoso', 'tenant.id must be a GUID'],
    ['tenant.domains', ['not a domain'], 'tenant.domains[0] must be a domain name'],
    [
      'tenant.domains',
      [`${'1'.repeat(32)}.onmicrosoft.com`],
      'tenant.domains[0] must be a domain name without an ID',
    ],
    ['apis.0.identifierUris', [], 'apis[0].identifierUris must have at least 1 entry'],
    ['apis.0.requestedAccessTokenVersion', 3, 'apis[0].requestedAccessTokenVersion must be 1 or 2'],
    [
      'clients.0.permissions.0.roles',
      ['CallHiApiRole', 'CallHelloApiRole', 'Bye'],
      'clients[0].permissions[0].roles[2] the API "Greeting API" declares no role "Bye"',
    ],
    [
      'clients.0.permissions.0.roles',
      [],
      'clients[0].permissions[0].roles must have at least 1 entry',
    ],
    [
      'consents.0.client',
      'Nobody',
      'consents[0].client no client of this file has the name "Nobody"',
    ],
    [
      'consents.0.api',
      'Nothing',
      'consents[0].api the client "Greeting client" requests no permission of the API "Nothing"',
    ],
    [
      'clients.0.permissions.0.roles',
      ['CallHiApiRole'],
      'consents[0].roles[1] the client "Greeting client" does not request the permission "CallHelloApiRole"',
    ],
    [
      'clients.0.displayName',
      'Greeting API',
      'clients[0].applicationId must be the ID of the API "Greeting API", which is the same application',
    ],
  ]
  for (const [path, value, fault] of rows) {
    it(`is refused with ${JSON.stringify(value)} as ${path}`, () => {
      // The consent refers to the client by its name.
      const name =
        path === 'clients.0.displayName' && value !== 'Greeting API'
          ? { 'consents.0.client': value }
          : {}
      const message = messageWith({ [path]: value, ...name })
      assert.match(message, /^Invalid registrations in some\.json: .*[^.]$/)
      assert.ok(message.includes(fault), message)
    })
  }

  for (const { name, file } of acceptedFiles) {
    it(`is accepted with ${name}`, () => {
      assert.doesNotThrow(() => readSeedRegistrations(file, 'some.json', defaults))
    })
  }

  for (const { name, file, message } of refusedFiles) {
    it(`is refused with ${name}`, () => {
      assert.throws(
        () => readSeedRegistrations(file, 'some.json', defaults),
        (error: unknown) =>
          error instanceof RegistrationsError &&
          error.code === 'registrations_invalid' &&
          error.message.startsWith(`Invalid registrations in some.json: ${message}`),
      )
    })
  }

  for (const { name, file, place } of filesForTheCommandOnly) {
    it(`is refused with ${name}, and the message names the command`, () => {
      assert.throws(() => readSeedRegistrations(file, 'some.json', defaults), {
        code: 'registrations_invalid',
        message: `The first start cannot apply ${place} of some.json: remove this, or apply the file with "npx --no-install greeting registrations apply"`,
      })
    })
  }

  it('is refused with repeated role IDs and values', () => {
    const [first] = JSON.parse(text).apis[0].appRoles
    const message = messageWith({ 'apis.0.appRoles.1': first })
    assert.match(message, /apis\[0\]\.appRoles\[1\]\.id "[0-9a-f-]{36}" is used twice/)
    assert.match(message, /apis\[0\]\.appRoles\[1\]\.value "CallHiApiRole" is used twice/)
  })

  for (const [identifierUris, members, message] of [
    ['api://orders', {}, /InvalidUniqueTenantIdentifierAsPerAppPolicy: Failed to add/],
    ['api://orders', { version: 2 }, /^accepted$/],
    ['api://orders.example/orders', {}, /InvalidUniqueTenantIdentifier/],
    ['api://orders.example/orders', { domains: ['orders.example'] }, /^accepted$/],
    ['https://else.example', { version: 2 }, /^accepted$/],
  ] as const)
    it(`can have the identifier URI ${identifierUris} only if Microsoft Graph permits it with ${JSON.stringify(members)} (entra E148)`, () => {
      const { version, domains } = { version: undefined, domains: [], ...members }
      const edits = {
        'apis.0.identifierUris': [identifierUris],
        'apis.0.requestedAccessTokenVersion': version,
        tenant: { domains },
      }
      assert.match(messageWith(edits), message)
    })

  it('is refused with a list of all its issues', () => {
    const message = messageWith({ [`${role}.value`]: 'Call Hi', [`${role}.description`]: '' })
    assert.match(message, /appRoles\[0\].value must not contain spaces/)
    assert.match(message, /appRoles\[0\]\.description must have at least 1 character/)
  })

  it('creates a single application for an API that is also a client', () => {
    const role = { value: 'R', displayName: 'R', description: 'R' }
    const file = {
      apis: [{ displayName: 'A', appRoles: [role] }],
      clients: [
        {
          displayName: 'A',
          permissions: [{ api: 'A', roles: ['R'] }],
          secrets: [{ displayName: 's' }],
        },
      ],
      consents: [{ client: 'A', api: 'A' }],
    }
    const registrations = readSeedRegistrations(JSON.stringify(file), 'some.json', defaults)
    const { changes } = seedChanges(registrations, systemRuntime)
    const puts = changes.flatMap((change) =>
      change.kind === 'application' && change.value !== null ? [change.value] : [],
    )
    assert.equal(puts.length, 1)
    assert.equal(puts[0]?.appRoles.length, 1)
    assert.equal(puts[0]?.passwordCredentials.length, 1)
    assert.equal(changes.filter(({ kind }) => kind === 'servicePrincipal').length, 1)
    assert.equal(changes.filter(({ kind }) => kind === 'appRoleAssignment').length, 1)
  })

  it('creates a blueprint with its agents and their inherited permissions', () => {
    const [blueprint] = agentMembers().blueprints
    const trusted = { issuer: 'https://issuer.example', subject: 'agents' }
    const file = {
      ...sampleFile(),
      ...agentMembers(),
      blueprints: [
        {
          ...blueprint,
          applicationId: guid(7),
          secrets: [{ displayName: 's' }],
          federatedCredentials: [{ displayName: 'cluster', ...trusted }],
          agents: [{ ...blueprint?.agents[0], applicationId: guid(8) }, blueprint?.agents[1]],
        },
      ],
    }
    const registrations = readSeedRegistrations(JSON.stringify(file), 'some.json', defaults)
    const { changes, seeded } = seedChanges(registrations, systemRuntime)
    const directory = new DirectoryIndex()
    directory.apply(
      0,
      changes.map((change) => ({ ...change, mark: 'mark 0' })),
    )
    const api = directory.servicePrincipalByName(guid(1), seeded.apis[0]?.identifierUri ?? '')
    const made = directory.applicationByAppId(guid(7))
    assert.equal(made?.id, guid(7))
    assert.deepEqual(made?.blueprint, {
      sponsorIds: blueprint?.sponsors,
      inheritablePermissions: [{ resourceAppId: api?.appId, scopes: 'none', roles: 'allAllowed' }],
    })
    const [{ id: _, ...credential } = { id: '' }] = made?.federatedIdentityCredentials ?? []
    const audiences = ['api://AzureADTokenExchange']
    assert.deepEqual(credential, { name: 'cluster', description: null, audiences, ...trusted })
    const agents = directory.agentsOf(guid(7))
    assert.deepEqual(
      agents.map(({ displayName, agentIdentityBlueprintId }) => [
        displayName,
        agentIdentityBlueprintId,
      ]),
      [
        ['Agent 1', guid(7)],
        ['Agent 2', guid(7)],
      ],
    )
    const first = directory.servicePrincipalByAppId(guid(1), guid(8))
    assert.equal(first?.id, guid(8))
    const rolesOf = (id = '') => directory.assignmentsOf(id).map(({ resourceId }) => resourceId)
    assert.deepEqual(rolesOf(first?.id), [api?.id])
    assert.deepEqual(
      seeded.agents?.map(({ blueprint: of }) => of),
      ['Helper blueprint', 'Helper blueprint'],
    )
    assert.ok(seeded.clients.some(({ applicationId }) => applicationId === guid(7)))
  })
})
