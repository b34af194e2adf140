/** The ID of the second client of each edited sample. */
export const clientId = '9b1f6c52-63a8-4f0a-8f5c-1d7a3e0f8a02'

/** A blueprint with two agents: one role is assigned to the first, and one is inherited. */
export const sampleBlueprint = () => ({
  displayName: 'Helper blueprint',
  sponsors: ['3f0f5d0e-6a1b-4f57-9b0a-0f7f4a2f9c01'],
  permissions: [{ api: 'Greeting API', roles: ['CallHelloApiRole'] }],
  inherit: ['Greeting API'],
  agents: [
    {
      displayName: 'Agent 1',
      permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }],
    },
    { displayName: 'Agent 2' },
  ],
})

/** The members of a file with the blueprint, and the consents of the blueprint and of an agent. */
export const agentMembers = () => ({
  blueprints: [sampleBlueprint()],
  consents: ['Helper blueprint', 'Agent 1'].map((name) => ({ client: name, api: 'Greeting API' })),
})

const blueprintOfTenant = {
  displayName: 'B',
  certificates: [{ displayName: 'c', path: 'c.pem' }],
  inherit: ['Microsoft Graph'],
  agents: [
    {
      displayName: 'A',
      permissions: [{ api: 'Microsoft Graph', roles: ['Application.Read.All'] }],
    },
  ],
}

export const agentsForTheCommandOnly = {
  name: 'a certificate of a blueprint, and permissions of APIs outside the file',
  file: Buffer.from(JSON.stringify({ blueprints: [blueprintOfTenant] })),
  place:
    'blueprints[0].certificates, blueprints[0].inherit[0], blueprints[0].agents[0].permissions[0]',
}

/** An edit of the sample: its name, its path, the new value, and the message of the refusal. */
export type Edit = [string, readonly (string | number)[], unknown, string]

const blueprintName = ['blueprints', 0, 'displayName']
const agent = (index: number) => ['blueprints', 0, 'agents', index]

export const agentEdits: Edit[] = [
  [
    'a blueprint with the name of an API',
    blueprintName,
    'Greeting API',
    'blueprints[0].displayName is the name of the API "Greeting API"',
  ],
  [
    'a blueprint with the name of a client',
    blueprintName,
    'Greeting client',
    'blueprints[0].displayName "Greeting client" is used twice',
  ],
  [
    'two agents of one name',
    [...agent(1), 'displayName'],
    'Agent 1',
    'blueprints[0].agents[1].displayName "Agent 1" is used twice',
  ],
  [
    'one ID for an agent and a client',
    [...agent(0), 'applicationId'],
    clientId,
    'blueprints[0].agents[0].applicationId "9b1f6c52-63a8-4f0a-8f5c-1d7a3e0f8a02" is the ID of another entry',
  ],
  [
    'a secret of an agent',
    [...agent(0), 'secrets'],
    [{ displayName: 'primary' }],
    'blueprints[0].agents[0].secrets is not a property of this format',
  ],
  [
    'a permission of an agent for an undeclared role',
    [...agent(0), 'permissions'],
    [{ api: 'Greeting API', roles: ['Hi'] }],
    'blueprints[0].agents[0].permissions[0].roles[0] the API "Greeting API" declares no role "Hi"',
  ],
  [
    'a consent to a role that the agent does not list',
    ['consents', 1],
    { client: 'Agent 1', api: 'Greeting API', roles: ['CallHelloApiRole'] },
    'consents[1].roles[0] the client "Agent 1" does not request the permission "CallHelloApiRole"',
  ],
  [
    'an API that is inherited twice',
    ['blueprints', 0, 'inherit'],
    ['Greeting API', 'Greeting API'],
    'blueprints[0].inherit[1] "Greeting API" is used twice',
  ],
  [
    'eleven inherited APIs',
    ['blueprints', 0, 'inherit'],
    Array.from({ length: 11 }, (_, index) => `API ${index}`),
    'blueprints[0].inherit must have at most 10 entries',
  ],
  [
    'no sponsor',
    ['blueprints', 0, 'sponsors'],
    [],
    'blueprints[0].sponsors must have at least 1 entry',
  ],
  [
    'a federated credential with a space in its name',
    ['blueprints', 0, 'federatedCredentials'],
    [{ displayName: 'a cluster', issuer: 'https://issuer.example', subject: 's' }],
    'blueprints[0].federatedCredentials[0].displayName must be 3 to 120 letters, digits and -._~, and start with a letter or digit',
  ],
  [
    'a federated credential of an issuer that is no URL',
    ['blueprints', 0, 'federatedCredentials'],
    [{ displayName: 'cluster', issuer: 'ftp://issuer.example', subject: 's' }],
    'blueprints[0].federatedCredentials[0].issuer must be an https URL',
  ],
]
