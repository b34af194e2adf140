import { client, type Difference, describeDifferences, same, set } from './difference.ts'
import { ids, sampleAssignments, sampleClient, sampleState } from './sample-state.ts'

const differences: Difference[] = [
  {
    name: 'a permission that is not requested yet',
    expected: ['setPermissions   + "Greeting client" requests CallHelloApiRole of "Greeting API"'],
    change: same,
    state: sampleState({
      client: {
        requiredResourceAccess: [
          { resourceAppId: ids.api, resourceAccess: [{ id: ids.hi, type: 'Role' }] },
        ],
      },
    }),
  },
  {
    name: 'a permission that is no longer requested, and its consent',
    expected: [
      'setPermissions   - "Greeting client" requests CallHelloApiRole of "Greeting API"',
      'revokeConsent ! - "Greeting client" was granted CallHelloApiRole of "Greeting API"',
    ],
    change: (file) => {
      set(client(file), { permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }] })
      file.consents[0]?.roles.pop()
    },
  },
  {
    name: 'no changes, for a permission of an API that is not in the file',
    expected: [`setPermissions   - "Greeting client" requests ${ids.hi} of "${ids.other}"`],
    change: same,
    state: sampleState({
      client: {
        requiredResourceAccess: [
          ...sampleClient.requiredResourceAccess,
          { resourceAppId: ids.other, resourceAccess: [{ id: ids.hi, type: 'Role' }] },
        ],
      },
    }),
  },
  {
    name: 'no changes, for delegated permissions, which a file does not describe',
    expected: [],
    change: same,
    state: sampleState({
      client: {
        requiredResourceAccess: [
          ...sampleClient.requiredResourceAccess,
          { resourceAppId: ids.other, resourceAccess: [{ id: ids.hi, type: 'Scope' }] },
        ],
      },
    }),
  },
  {
    name: 'a consent that is not granted yet',
    expected: ['grantConsent   + "Greeting client" is granted CallHelloApiRole of "Greeting API"'],
    change: same,
    state: sampleState({ assignments: sampleAssignments.slice(0, 1) }),
  },
  {
    name: 'a consent to all requested permissions',
    expected: ['grantConsent   + "Greeting client" is granted CallHiApiRole of "Greeting API"'],
    change: (file) => void Reflect.deleteProperty(file.consents[0] ?? {}, 'roles'),
    state: sampleState({ assignments: sampleAssignments.slice(1) }),
  },
  {
    name: 'no changes, when the file has no list of consents',
    expected: [],
    change: (file) => ({ apis: file.apis, clients: file.clients }),
    state: sampleState({ assignments: [] }),
  },
  {
    name: 'no changes, for an assignment without role, which a file does not describe',
    expected: [],
    change: same,
    state: sampleState({
      assignments: [
        ...sampleAssignments,
        {
          id: 'x',
          principalId: ids.clientPrincipal,
          resourceId: ids.apiPrincipal,
          appRoleId: '00000000-0000-0000-0000-000000000000',
        },
      ],
    }),
  },
]

describeDifferences('a plan for permissions and consents has', differences)
