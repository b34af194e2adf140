import {
  agentEdits,
  agentMembers,
  agentsForTheCommandOnly,
  clientId,
  type Edit,
  sampleBlueprint,
} from './agent-samples.ts'
import { policyEdits } from './policy-samples.ts'

export { agentMembers, sampleBlueprint } from './agent-samples.ts'

/** A registrations file with the six steps of contract C11 to C17. */
export const sampleFile = () => ({
  apis: [
    {
      displayName: 'Greeting API',
      appRoles: [
        {
          value: 'CallHiApiRole',
          displayName: 'Call hi',
          description: 'Grants access to the hi endpoint.',
        },
        {
          value: 'CallHelloApiRole',
          displayName: 'Call hello',
          description: 'Grants access to the hello endpoint.',
        },
      ],
    },
  ],
  clients: [
    {
      displayName: 'Greeting client',
      permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole', 'CallHelloApiRole'] }],
      secrets: [{ displayName: 'primary' }],
    },
  ],
  consents: [
    {
      client: 'Greeting client',
      api: 'Greeting API',
      roles: ['CallHiApiRole', 'CallHelloApiRole'],
    },
  ],
})

const role = ['apis', 0, 'appRoles', 0] as const
const api = ['apis', 0] as const
const client = ['clients', 0] as const

const edits: Edit[] = [
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
    'R'.repeat(250),
    'apis[0].appRoles[0].value must have at most 249 characters',
  ],
  ['a role without value', [...role, 'value'], undefined, 'apis[0].appRoles[0].value is missing'],
  [
    'a role without description',
    [...role, 'description'],
    ' ',
    'apis[0].appRoles[0].description must have at least 1 character',
  ],
  ['a role ID that is not a GUID', [...role, 'id'], '1', 'apis[0].appRoles[0].id must be a GUID'],
  [
    'a role for users only',
    [...role, 'allowedMemberTypes'],
    ['User'],
    'apis[0].appRoles[0].allowedMemberTypes must contain "Application"',
  ],
  [
    'a repeated member type',
    [...role, 'allowedMemberTypes'],
    ['Application', 'Application'],
    'apis[0].appRoles[0].allowedMemberTypes must not contain a type twice',
  ],
  [
    'an unknown member type',
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
    'a misspelt property',
    [...api, 'appRole'],
    [],
    'apis[0].appRole is not a property of this format',
  ],
  [
    'a repeated role value',
    ['apis', 0, 'appRoles', 1, 'value'],
    'CallHiApiRole',
    'apis[0].appRoles[1].value "CallHiApiRole" is used twice',
  ],
  [
    'an identifier URI with a final slash',
    [...api, 'identifierUris'],
    ['api://orders/'],
    'apis[0].identifierUris[0] must be an absolute URI without spaces, query, fragment and final slash',
  ],
  [
    'an unknown token version',
    [...api, 'requestedAccessTokenVersion'],
    3,
    'apis[0].requestedAccessTokenVersion must be 1 or 2',
  ],
  ['an API without name', [...api, 'displayName'], 7, 'apis[0].displayName must be of type string'],
  [
    'a permission for an undeclared role',
    [...client, 'permissions', 0, 'roles', 0],
    'CallHiApirole',
    'clients[0].permissions[0].roles[0] the API "Greeting API" declares no role "CallHiApirole"',
  ],
  [
    'a consent to a role that the client does not request',
    [...client, 'permissions', 0, 'roles'],
    ['CallHiApiRole'],
    'consents[0].roles[1] the client "Greeting client" does not request the permission "CallHelloApiRole". Admin consent grants requested permissions only',
  ],
  [
    'a consent for an API that the client does not request',
    [...client, 'permissions'],
    [],
    'consents[0].api the client "Greeting client" requests no permission of the API "Greeting API"',
  ],
  [
    'a consent without roles for a client without managed permissions',
    ['consents', 1],
    { client: 'Other client', api: 'Greeting API' },
    'consents[1].roles is required, because the client "Other client" has no permissions in this file',
  ],
  [
    'a consent for an undeclared client',
    ['consents', 0, 'client'],
    'greeting client',
    'consents[0].client no client of this file has the name "greeting client"',
  ],
  [
    'a repeated consent',
    ['consents', 1],
    { client: 'Greeting client', api: 'Greeting API' },
    'consents[1] repeats an admin consent for this client and this API',
  ],
  [
    'a repeated client',
    ['clients', 2],
    { displayName: 'Greeting client' },
    'clients[2].displayName "Greeting client" is used twice',
  ],
  [
    'a repeated secret',
    [...client, 'secrets', 1],
    { displayName: 'primary' },
    'clients[0].secrets[1].displayName "primary" is used twice',
  ],
  [
    'an overlap as long as the lifetime',
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
    'an application that is both declared and removed',
    ['removed'],
    ['Greeting API'],
    'removed[0] "Greeting API" is also declared in this file',
  ],
  [
    'one application with two ids',
    ['clients', 1],
    { displayName: 'Greeting API', applicationId: '9b1f6c52-63a8-4f0a-8f5c-1d7a3e0f8a01' },
    'clients[1].applicationId must be the ID of the API "Greeting API", which is the same application',
  ],
  [
    'one application ID for two applications',
    ['apis', 1],
    { displayName: 'Other API', applicationId: clientId, appRoles: [] },
    `clients[1].applicationId "${clientId}" is the ID of another entry`,
  ],
  [
    'a name of 200 characters',
    [...client, 'displayName'],
    'n'.repeat(200),
    'clients[0].displayName must have at most 120 characters',
  ],
  ...agentEdits,
  ['a tenant ID that is not a GUID', ['tenant'], { id: 'contoso' }, 'tenant.id must be a GUID'],
  [
    'a tenant domain that is not a domain name',
    ['tenant'],
    { domains: ['not a domain'] },
    'tenant.domains[0] must be a domain name',
  ],
  ...policyEdits,
]

/** The sample with a second client and a blueprint, after one edit. */
function edited(path: readonly (string | number)[], value: unknown): string {
  const file: unknown = {
    ...sampleFile(),
    clients: [...sampleFile().clients, { displayName: 'Other client', applicationId: clientId }],
    blueprints: [sampleBlueprint()],
  }
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => Reflect.get(Object(at), step), file)
  Reflect.set(Object(parent), path.at(-1) ?? '', value)
  return JSON.stringify(file)
}

const bytes = (file: string) => Buffer.from(file, 'latin1')

const utf16 = Buffer.from('\ufeff{}', 'utf16le')

/** Files that each user of this package must refuse, with the first message. */
export const refusedFiles: readonly {
  readonly name: string
  readonly file: Uint8Array
  readonly message: string
}[] = [
  ...edits.map(([name, path, value, message]) => ({
    name,
    file: Buffer.from(edited(path, value)),
    message,
  })),
  ...(
    [
      ['bytes that are not UTF-8', bytes('{"tenant":{"displayName":"a\xff"}}'), 'is not UTF-8'],
      ['an incomplete UTF-8 sequence', bytes('{"removed":["\xe2\x82"]}'), 'is not UTF-8'],
      ['a repeated member', bytes('{"clients":[],"clients":[]}'), 'clients is repeated'],
      ['UTF-16', utf16, 'is UTF-16, not UTF-8'],
      ['UTF-16 in big endian', Buffer.from(utf16).swap16(), 'is UTF-16, not UTF-8'],
      ['UTF-16 without a mark', utf16.subarray(2), 'is UTF-16, not UTF-8'],
      ['YAML', bytes('apis:\n  - displayName: a\n'), 'is not JSON; YAML is not read'],
      ['YAML with a mark', bytes('---\napis: []\n'), 'is not JSON; YAML is not read'],
      ['YAML with a comment', bytes('# APIs\napis: []\n'), 'is not JSON; YAML is not read'],
    ] as const
  ).map(([name, file, message]) => ({ name, file, message })),
  {
    name: 'repeated members with escapes, at any depth',
    file: bytes(
      '{"apis":[{},{"displayName":"a","display\\u004eame":"b"}],"tenant":{"id":1,"id":2}}',
    ),
    message: 'apis[1].displayName is repeated; tenant.id is repeated',
  },
  {
    name: 'text that is not JSON',
    file: bytes('{ "apis": [}'),
    message: 'is not JSON in line 1: ',
  },
]

const [apiEntry] = sampleFile().apis
const [clientEntry] = sampleFile().clients

/** Files that each user of this package must accept. */
export const acceptedFiles: readonly { readonly name: string; readonly file: Uint8Array }[] = [
  { name: 'an empty object', file: bytes('{}') },
  { name: 'the sample', file: bytes(JSON.stringify(sampleFile())) },
  { name: 'a byte order mark', file: Buffer.from(`\ufeff${JSON.stringify(sampleFile())}`) },
  {
    name: 'one application under `apis` and `clients`',
    file: bytes(
      JSON.stringify({
        apis: [{ ...apiEntry, applicationId: clientId.toUpperCase() }],
        clients: [{ ...clientEntry, displayName: 'Greeting API', applicationId: clientId }],
      }),
    ),
  },
  {
    name: 'the same, without an ID',
    file: bytes(
      JSON.stringify({
        apis: [apiEntry],
        clients: [{ ...clientEntry, displayName: 'Greeting API' }],
      }),
    ),
  },
  { name: 'agents', file: bytes(JSON.stringify({ ...sampleFile(), ...agentMembers() })) },
  { name: 'a name to remove', file: bytes('{"removed":["Old client"]}') },
]

/** Valid files that need the management API, so the identity provider cannot apply them at its start. */
export const filesForTheCommandOnly: readonly {
  readonly name: string
  readonly file: Uint8Array
  readonly place: string
}[] = [
  {
    name: 'a permission of an API outside the file',
    file: bytes(
      JSON.stringify({
        clients: [
          {
            displayName: 'C',
            permissions: [{ api: 'Microsoft Graph', roles: ['Application.Read.All'] }],
          },
        ],
      }),
    ),
    place: 'clients[0].permissions[0]',
  },
  {
    name: 'an admin consent for an API outside the file',
    file: bytes(
      JSON.stringify({
        clients: [{ displayName: 'C' }],
        consents: [{ client: 'C', api: 'Microsoft Graph', roles: ['Application.Read.All'] }],
      }),
    ),
    place: 'consents[0]',
  },
  {
    name: 'a certificate',
    file: bytes(
      JSON.stringify({
        clients: [{ displayName: 'C', certificates: [{ displayName: 'c', path: 'c.pem' }] }],
      }),
    ),
    place: 'clients[0].certificates',
  },
  agentsForTheCommandOnly,
]
