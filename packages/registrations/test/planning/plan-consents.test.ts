import { client, type Difference, describeDifferences, same, set } from './difference.ts'
import { ids, sampleAssignments, sampleClient, sampleState } from './sample-state.ts'

const differences: Difference[] = [
  [
    'a permission that is not requested yet',
    ['setPermissions   + "Greeting client" requests CallHelloApiRole of "Greeting API"'],
    same,
    sampleState({
      client: {
        requiredResourceAccess: [
          { resourceAppId: ids.api, resourceAccess: [{ id: ids.hi, type: 'Role' }] },
        ],
      },
    }),
  ],
  [
    'a permission that is no longer requested, and its consent',
    [
      'setPermissions   - "Greeting client" requests CallHelloApiRole of "Greeting API"',
      'revokeConsent ! - "Greeting client" was granted CallHelloApiRole of "Greeting API"',
    ],
    (file) => {
      set(client(file), { permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }] })
      file.consents[0]?.roles.pop()
    },
  ],
  [
    'no changes, for a permission of an API that is not in the file',
    [`setPermissions   - "Greeting client" requests ${ids.hi} of "${ids.other}"`],
    same,
    sampleState({
      client: {
        requiredResourceAccess: [
          ...sampleClient.requiredResourceAccess,
          { resourceAppId: ids.other, resourceAccess: [{ id: ids.hi, type: 'Role' }] },
        ],
      },
    }),
  ],
  [
    'no changes, for delegated permissions, which a file does not describe',
    [],
    same,
    sampleState({
      client: {
        requiredResourceAccess: [
          ...sampleClient.requiredResourceAccess,
          { resourceAppId: ids.other, resourceAccess: [{ id: ids.hi, type: 'Scope' }] },
        ],
      },
    }),
  ],
  [
    'a consent that is not granted yet',
    ['grantConsent   + "Greeting client" is granted CallHelloApiRole of "Greeting API"'],
    same,
    sampleState({ assignments: sampleAssignments.slice(0, 1) }),
  ],
  [
    'a consent to all requested permissions',
    ['grantConsent   + "Greeting client" is granted CallHiApiRole of "Greeting API"'],
    (file) => void Reflect.deleteProperty(file.consents[0] ?? {}, 'roles'),
    sampleState({ assignments: sampleAssignments.slice(1) }),
  ],
  [
    'no changes, when the file has no list of consents',
    [],
    (file) => ({ apis: file.apis, clients: file.clients }),
    sampleState({ assignments: [] }),
  ],
  [
    'no changes, for an assignment without role, which a file does not describe',
    [],
    same,
    sampleState({
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
  ],
]

describeDifferences('a plan for permissions and consents has', differences)
